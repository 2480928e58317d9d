// SPDX-License-Identifier: BSD-3-Clause
// Themes: reading, style sheet, palette, coloured icons.
#include "app/look/theme.hpp"

#include <utility>

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QIconEngine>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QPixmapCache>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleFactory>
#include <QSvgRenderer>
#include <QTimer>
#include <QWidget>

#include "render/window/turn.hpp"

// Q_INIT_RESOURCE declares its function where it stands, so this must be outside every namespace.
static void init_resources() {
  Q_INIT_RESOURCE(conoid_look);
  Q_INIT_RESOURCE(conoid_themed);
}

namespace conoid::app {
namespace {

QByteArray resource(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Draws one SVG in the theme's colour of the moment, sharp at every scale.
class StrokeIcon final : public QIconEngine {
 public:
  StrokeIcon(QString id, QString colour, std::shared_ptr<Theme> theme)
      : id_(std::move(id)), colour_(std::move(colour)), theme_(std::move(theme)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const double ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
    const QPixmap drawn = picture((QSizeF(rect.size()) * ratio).toSize(), mode);
    if (!drawn.isNull()) painter->drawPixmap(QRectF(rect), drawn, QRectF(drawn.rect()));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State /*state*/) override { return picture(size, mode); }
  [[nodiscard]] QIconEngine* clone() const override { return new StrokeIcon(id_, colour_, theme_); }

 private:
  /// Drawn once in each size and colour: a window with fifty icons is painted often.
  [[nodiscard]] QPixmap picture(const QSize& size, QIcon::Mode mode) const {
    if (size.isEmpty()) return {};  // a button that has no room left
    const QString colour = theme_->colour(mode == QIcon::Disabled ? QStringLiteral("outline") : colour_).name();
    const QString key = QStringLiteral("icon %1 %2 %3 %4").arg(id_, colour).arg(size.width()).arg(size.height());
    QPixmap drawn;
    if (QPixmapCache::find(key, &drawn)) return drawn;
    drawn = QPixmap(size);
    drawn.fill(Qt::transparent);
    QByteArray svg = resource(":/conoid/icons/" + id_ + ".svg");
    svg.replace("currentColor", colour.toLatin1());
    QSvgRenderer renderer(svg);
    QPainter painter(&drawn);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter, QRectF(QPointF(0, 0), size));
    QPixmapCache::insert(key, drawn);
    return drawn;
  }

  QString id_, colour_;
  std::shared_ptr<Theme> theme_;
};

bool is_dark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

void choose_font(QApplication& application, double scale, const QString& wanted, const QString& of_system) {
  QFont font = application.font();
  if (wanted == "system")
    font.setFamily(of_system);
  else if (!wanted.isEmpty() && QFontDatabase::families().contains(wanted))
    font.setFamily(wanted);
  else
    font.setFamily(QFontDatabase::hasFamily("Inter") ? QStringLiteral("Inter") : of_system);
  font.setPixelSize(qRound(13 * scale));
  font.setStyleStrategy(QFont::PreferAntialias);
  application.setFont(font);
}

}  // namespace

Theme load_theme(const QString& name) {
  QByteArray text = resource(":/conoid/themes/" + name + ".json");
  if (text.isEmpty()) text = resource(":/conoid/themes/light.json");
  const QJsonObject object = QJsonDocument::fromJson(text).object();
  Theme theme;
  theme.name = object["name"].toString();
  theme.dark = object["dark"].toBool();
  const QJsonObject colours = object["colours"].toObject();
  for (auto it = colours.begin(); it != colours.end(); ++it) theme.colours[it.key()] = QColor(it.value().toString());
  for (const auto& value : object["series"].toArray()) theme.series.append(QColor(value.toString()));
  return theme;
}

QString style_sheet(const Theme& theme, double font_scale) {
  QString text = QString::fromUtf8(resource(":/conoid/themes/style.qss"));
  for (auto it = theme.colours.begin(); it != theme.colours.end(); ++it)
    text.replace('@' + it.key() + '@', it.value().name());
  text.replace("@name@", theme.name);
  static const QRegularExpression size("font-size: (\\d+)px");
  QString out;
  qsizetype from = 0;
  for (auto it = size.globalMatch(text); it.hasNext();) {
    const auto match = it.next();
    out += text.mid(from, match.capturedStart() - from) +
           QStringLiteral("font-size: %1px").arg(qRound(match.captured(1).toInt() * font_scale));
    from = match.capturedEnd();
  }
  return out + text.mid(from);
}

QPalette palette_of(const Theme& theme) {
  QPalette palette;
  const auto set = [&](QPalette::ColorRole role, const char* id) { palette.setColor(role, theme.colour(id)); };
  set(QPalette::Window, "window");
  set(QPalette::WindowText, "text");
  set(QPalette::Base, "surface");
  set(QPalette::AlternateBase, "window");
  set(QPalette::Text, "text");
  set(QPalette::Button, "surface");
  set(QPalette::ButtonText, "text");
  set(QPalette::BrightText, "bad");
  set(QPalette::Highlight, "accent");
  set(QPalette::HighlightedText, "on_accent");
  set(QPalette::Link, "accent");
  set(QPalette::LinkVisited, "accent");
  set(QPalette::PlaceholderText, "faint");
  set(QPalette::ToolTipBase, "surface");
  set(QPalette::ToolTipText, "text");
  set(QPalette::Mid, "border");
  for (auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, theme.colour("faint"));
  return palette;
}

Look::Look(QApplication& application, ThemeChoice choice)
    : application_(application), choice_(choice), theme_(std::make_shared<Theme>()) {
  init_resources();
  system_dark_ = is_dark(application.palette());
  application.setStyle(QStyleFactory::create("Fusion"));
  system_family_ = application.font().family();
  choose_font(application, 1, {}, system_family_);
  application.installEventFilter(this);
  connect(&later_, &QTimer::timeout, this, [this] { in_turn_if_free([this] { polish_some(); }); });
  apply();
}

void Look::choose(ThemeChoice choice) {
  choice_ = choice;
  if (wants_dark() != theme_->dark) apply();
}

void Look::set_font_scale(double scale) {
  if (scale == font_scale_) return;
  font_scale_ = scale;
  choose_font(application_, scale, font_family_, system_family_);
  apply();
}

void Look::set_font_family(const QString& family) {
  if (family == font_family_) return;
  font_family_ = family;
  choose_font(application_, font_scale_, family, system_family_);
  apply();
}

bool Look::eventFilter(QObject* watched, QEvent* event) {
  // The application's own palette is left alone so that it goes on telling what the system wants; every top-level
  // window gets ours instead.
  if (watched == &application_ && event->type() == QEvent::ApplicationPaletteChange) {
    const bool dark = is_dark(application_.palette());
    if (dark != system_dark_) {
      system_dark_ = dark;
      if (wants_dark() != theme_->dark) apply();
    }
  } else if (event->type() == QEvent::Polish && watched->isWidgetType()) {
    if (auto* widget = static_cast<QWidget*>(watched); widget->isWindow()) widget->setPalette(palette_of(*theme_));
  }
  return QObject::eventFilter(watched, event);
}

bool Look::wants_dark() const {
  return choice_ == ThemeChoice::dark || (choice_ == ThemeChoice::system && system_dark_);
}

void Look::apply() {
  *theme_ = load_theme(wants_dark() ? "dark" : "light");
  const QPalette palette = palette_of(*theme_);
  for (QWidget* widget : QApplication::topLevelWidgets()) {
    if (widget->isVisible()) {  // painted in a turn of the event loop of its own
      widget->setUpdatesEnabled(false);
      unpainted_.emplace_back(widget);
    }
    widget->setPalette(palette);
  }
  // Qt would polish every widget once for each of its ancestors, a second of it in a large window: what it knows of them is forgotten first,
  // and they are polished here, those on the screen first.
  if (!application_.styleSheet().isEmpty()) QApplication::style()->unpolish(&application_);
  application_.setStyleSheet(style_sheet(*theme_, font_scale_));
  seen_.clear();
  unpolished_.clear();
  for (QWidget* widget : QApplication::topLevelWidgets())
    if (!widget->parentWidget()) polish_below(widget);
  emit changed();
  later_.start(0);
}

void Look::polish(QWidget* widget) {
  if (!widget->testAttribute(Qt::WA_WState_Polished)) return;  // when it is shown first
  widget->style()->polish(widget);
  QEvent changed(QEvent::StyleChange);
  QCoreApplication::sendEvent(widget, &changed);
}

void Look::polish_below(QWidget* widget) {
  (widget->isVisible() ? seen_ : unpolished_).emplace_back(widget);
  // Parents first: what they have changed comes down to their children.
  for (QObject* child : widget->children())
    if (child->isWidgetType()) polish_below(static_cast<QWidget*>(child));
}

void Look::polish_some() {
  if (seen_.empty())
    for (const auto& window : std::exchange(unpainted_, {}))
      if (window) window->setUpdatesEnabled(true);
  constexpr int slice = 8;  // ms
  QElapsedTimer clock;
  clock.start();
  auto& widgets = seen_.empty() ? unpolished_ : seen_;
  while (!widgets.empty() && clock.elapsed() < slice) {
    if (QWidget* widget = widgets.front()) polish(widget);
    widgets.pop_front();
  }
  if (seen_.empty() && unpolished_.empty() && unpainted_.empty()) later_.stop();
}

void Look::finish() {
  while (later_.isActive()) polish_some();
}

QIcon Look::icon(const QString& id, const QString& colour) const {
  return QIcon(new StrokeIcon(id, colour, theme_));
}

void set_role(QWidget* widget, const char* role) {
  if (widget->property("role").toString() == QLatin1String(role)) return;
  widget->setProperty("role", role);
  if (widget->testAttribute(Qt::WA_WState_Polished)) {
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
  }
}

}  // namespace conoid::app
