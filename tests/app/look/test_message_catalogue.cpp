// SPDX-License-Identifier: BSD-3-Clause
// Messages of the engine are matched with their patterns, whatever the text: the longest pattern wins, what is quoted stays, no text is lost.
// labels: unit
#include <QTest>

#include "app/look/message_catalogue.hpp"

using conoid::app::MessageCatalogue;

namespace {

/// What follows is a character of several bytes: no break of a line before these marks in French.
const std::string no_break = "\u00a0";

MessageCatalogue small() {
  MessageCatalogue c;
  const auto put = [&](const char* pattern, const char* said) {
    if (!c.add(pattern, said)) qFatal("refused: %s", pattern);
  };
  put("expected {}, found {}", "on attend {}, on trouve {}");
  put("expected at least {} nodes, found {}", "on attend au moins {} nœuds, on trouve {}");
  put("a whole number", "un nombre entier");
  put("the end of the file", "la fin du fichier");
  put("the group '{}' has no surface cells", "le groupe '{}' n’a pas de cellules de surface");
  put("{} of {} ranks have nothing to do", "sur {1} rangs {0} n’ont rien à faire");
  put("Save the file again.", "Enregistrez le fichier à nouveau.");
  put("the file ends early", "le fichier finit trop tôt");
  put(", or a higher order", ", ou un ordre plus élevé");
  put("use a spacing of {} or less{}", "prenez un pas de {} ou moins{}");
  put("and {}", "et {}");
  put("write {\"kind\": {}} here or {3}", "écrivez {\"kind\": {}} ici ou {3}");
  return c;
}

class TestMessageCatalogue : public QObject {
  Q_OBJECT
 private slots:
  void most_literal_text_counts() {
    const MessageCatalogue c = small();
    QCOMPARE(c.translate("expected a whole number, found 2.5"),
             std::string("on attend un nombre entier, on trouve 2,5"));
    QCOMPARE(c.translate("expected at least 3 nodes, found the end of the file"),
             std::string("on attend au moins 3 nœuds, on trouve la fin du fichier"));
    QCOMPARE(c.translate("2 of 8 ranks have nothing to do"), std::string("sur 8 rangs 2 n’ont rien à faire"));
    QCOMPARE(c.translate("use a spacing of 0.25 m or less, or a higher order"),
             std::string("prenez un pas de 0,25 m ou moins, ou un ordre plus élevé"));
    QCOMPARE(c.translate("use a spacing of 0.25 m or less"), std::string("prenez un pas de 0,25 m ou moins"));
  }

  void what_is_quoted_stays() {
    const MessageCatalogue c = small();
    QCOMPARE(c.translate("the group 'a whole number' has no surface cells"),
             std::string("le groupe 'a whole number' n’a pas de cellules de surface"));
    QCOMPARE(c.translate("the group '1.5' has no surface cells"),
             std::string("le groupe '1.5' n’a pas de cellules de surface"));
    QCOMPARE(c.translate("expected a whole number, found \"1.5\""),
             std::string("on attend un nombre entier, on trouve \"1.5\""));
    QCOMPARE(c.translate("expected a whole number, found '3.2.1'"),
             std::string("on attend un nombre entier, on trouve '3.2.1'"));
  }

  void sentences_and_places() {
    const MessageCatalogue c = small();
    QCOMPARE(c.translate("the file ends early. Save the file again."),
             std::string("le fichier finit trop tôt. Enregistrez le fichier à nouveau."));
    QCOMPARE(c.translate("the file ends early. Nobody knows this one. Save the file again."),
             std::string("le fichier finit trop tôt. Nobody knows this one. Enregistrez le fichier à nouveau."));
    QCOMPARE(c.translate("bodies/a 1.5.msh: the file ends early"),
             "bodies/a 1.5.msh" + no_break + ": le fichier finit trop tôt");
    QVERIFY(c.knows("the file ends early. Save the file again."));
    QVERIFY(!c.knows("the file ends early. Nobody knows this one."));
  }

  void short_patterns_count_within_others_alone() {
    const MessageCatalogue c = small();
    QCOMPARE(c.translate("and so it goes"), std::string("and so it goes"));
    QCOMPARE(c.translate("and 2.5 m"), std::string("et 2,5 m"));
    QCOMPARE(c.translate("expected a whole number, found and 2.5"),
             std::string("on attend un nombre entier, on trouve et 2,5"));
  }

  void braces_that_are_no_arguments_are_text() {
    const MessageCatalogue c = small();
    QCOMPARE(c.translate("write {\"kind\": 7} here or {3}"), std::string("écrivez {\"kind\": 7} ici ou {3}"));
    MessageCatalogue none;
    QVERIFY(!none.add("{}", "{}"));
    QVERIFY(!none.add("{}: {} / {}", "{}"));
    QVERIFY(!none.add("", "x"));
    QVERIFY(!none.add("something", ""));
    QVERIFY(!none.add("one {}", "{} {}"));
    QCOMPARE(none.size(), std::size_t{0});
    QCOMPARE(none.translate("one thing"), std::string("one thing"));
  }

  void any_text_comes_through() {
    const MessageCatalogue c = small();
    for (const std::string text : {"",
                                   " ",
                                   ".",
                                   "{}",
                                   "{",
                                   "}{",
                                   "\n",
                                   "\n\n",
                                   "'",
                                   "'''",
                                   "expected , found ",
                                   "expected ",
                                   ", found ",
                                   ": ",
                                   ": : : ",
                                   "a: ",
                                   ". . . ",
                                   "\xff\xfe\x80",
                                   "日本語。テキスト",
                                   "expected \xff, found \x80",
                                   "{0}{1}{2}",
                                   "a. B. C. D. E. F. G."}) {
      const std::string said = c.translate(text);
      // Known words apart, nothing is lost and nothing is added.
      if (text.find("expected") == std::string::npos && text.find("found") == std::string::npos) QCOMPARE(said, text);
      static_cast<void>(c.knows(text));
    }
    QCOMPARE(c.translate("expected 日本語, found {}"), std::string("on attend 日本語, on trouve {}"));
  }

  void long_texts_take_no_time_worth_mentioning() {
    MessageCatalogue c = small();
    // The worst for a matcher that goes back: many beginnings of what never ends.
    QVERIFY(c.add("{} a {} a {} a {} a {} a {} a {} a {} b ending", "{} {} {} {} {} {} {} {}"));
    std::string text;
    while (text.size() < 19'000) text += " a";
    QCOMPARE(c.translate(text), text);
    std::string sentences;
    while (sentences.size() < 19'000) sentences += "expected this: that: expected a. B. ";
    QVERIFY(!c.translate(sentences).empty());
    const std::string huge(5'000'000, 'e');
    QCOMPARE(c.translate(huge), huge);
    std::string nested;
    for (int i = 0; i < 1000; ++i) nested += "expected ";
    for (int i = 0; i < 1000; ++i) nested += ", found ";
    QVERIFY(!c.translate(nested).empty());
  }
};

}  // namespace

QTEST_APPLESS_MAIN(TestMessageCatalogue)
#include "test_message_catalogue.moc"
