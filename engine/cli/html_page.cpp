// SPDX-License-Identifier: BSD-3-Clause
// Writes pages of HTML.
#include "engine/cli/html_page.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/core.h>

#include "engine/core/base64.hpp"

namespace conoid::cli {
namespace {

// No font, script or picture is fetched: the page's own policy forbids it, too.
constexpr std::string_view html_head =
    R"(<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";

constexpr std::string_view html_style = R"(<style>
:root { --ink: #1a2028; --soft: #5a6572; --line: #d9dee4; --ground: #ffffff; --raised: #f5f7f9; --warn: #9c3d00; --warnground: #fff3e8; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ed; --soft: #9aa5b1; --line: #343c46; --ground: #171b20; --raised: #20262d; --warn: #ffb685; --warnground: #3a2618; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 2rem 4rem; max-width: 72rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 3.5rem 0 .5rem; }
h1:first-child { margin-top: 0; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .7rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; color: var(--soft); }
h1, h2, h3, p, figcaption { overflow-wrap: anywhere; }
td { overflow-wrap: break-word; max-width: 40rem; }
p { margin: .4rem 0; }
.notice { border-left: 4px solid var(--warn); background: var(--warnground); color: var(--warn); padding: .7rem 1rem; margin: 1rem 0; white-space: pre-wrap; }
.table { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; min-width: min(100%, 32rem); font-size: .92rem; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; white-space: nowrap; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow: auto; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 1.2rem; }
figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; background: #ffffff; break-inside: avoid; }
figure img { display: block; width: 100%; height: auto; }
figcaption { padding: .45rem .8rem; font-size: .88rem; background: var(--raised); color: var(--soft); }
details { margin: .8rem 0; }
summary { cursor: pointer; color: var(--soft); }
@media print {
  @page { margin: 16mm; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; }
  .table { overflow: visible; }
  pre { white-space: pre-wrap; }
  .pictures { grid-template-columns: 1fr 1fr; }
}
</style>
)";

bool html_number(std::string_view cell) {
  return std::all_of(cell.begin(), cell.end(), [](char c) {
    return (c >= '0' && c <= '9') || std::string_view("+-.eE% ").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
          out += "\xef\xbf\xbd";
        else
          out += c;
    }
  return out;
}

void HtmlPage::heading(int level, std::string_view text) {
  body_ += fmt::format("<h{0}>{1}</h{0}>\n", level, html_escaped(text));
}
void HtmlPage::paragraph(std::string_view text) {
  body_ += "<p>" + html_escaped(text) + "</p>\n";
}
void HtmlPage::notice(std::string_view text) {
  body_ += "<p class=\"notice\">" + html_escaped(text) + "</p>\n";
}
void HtmlPage::code(std::string_view text) {
  body_ += "<pre>" + html_escaped(text) + "</pre>\n";
}

void HtmlPage::table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.size() < 2) return;
  // A column of numbers may have blanks, but not blanks alone.
  std::vector<bool> numbers(rows.front().size());
  for (std::size_t c = 0; c < numbers.size(); ++c) {
    const auto cell = [&](std::size_t r) { return c < rows[r].size() ? std::string_view(rows[r][c]) : ""; };
    bool all = true, some = false;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      all = all && html_number(cell(r));
      some = some || !cell(r).empty();
    }
    numbers[c] = all && some;
  }
  body_ += "<div class=\"table\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      body_ += fmt::format("<{0}{1}>{2}</{0}>", r == 0 ? "th" : "td",
                           c < numbers.size() && numbers[c] ? " class=\"number\"" : "", html_escaped(rows[r][c]));
    body_ += "</tr>\n";
  }
  body_ += "</table></div>\n";
}

void HtmlPage::picture(std::string_view media, std::string_view bytes, std::string_view caption) {
  const std::string words = html_escaped(caption);
  body_ += fmt::format("<figure><img alt=\"{0}\" src=\"data:{1};base64,{2}\"><figcaption>{0}</figcaption></figure>\n",
                       words, media, base64_text(bytes));
}

void HtmlPage::begin_pictures() {
  body_ += "<div class=\"pictures\">\n";
}
void HtmlPage::end_pictures() {
  body_ += "</div>\n";
}
void HtmlPage::begin_details(std::string_view summary) {
  body_ += "<details><summary>" + html_escaped(summary) + "</summary>\n";
}
void HtmlPage::end_details() {
  body_ += "</details>\n";
}

std::string HtmlPage::text() const {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n";
  out += html_head;
  out += "<title>" + html_escaped(title_) + "</title>\n";
  out += html_style;
  return out + "</head>\n<body>\n" + body_ + "</body>\n</html>\n";
}

}  // namespace conoid::cli
