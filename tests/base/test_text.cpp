// SPDX-License-Identifier: BSD-3-Clause
//
// Names of any bytes, as they are put out: on one line, as UTF-8, as one word of a shell.
#include "partition/base/text.hpp"

#include <cstdio>
#include <memory>

#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

struct NameCase {
  std::string bytes, shown, utf8, typed;
};

const NameCase name_cases[] = {
    {"plain/a-1_b.mtx", "plain/a-1_b.mtx", "plain/a-1_b.mtx", "plain/a-1_b.mtx"},
    {"行列 é.mtx", "行列 é.mtx", "行列 é.mtx", "'行列 é.mtx'"},
    {"two\nRESULT: PASS", "two\\nRESULT: PASS", "two\nRESULT: PASS", "$'two\\x0aRESULT: PASS'"},
    {"\r\t\x1b[31m\x7f", "\\r\\t\\x1b[31m\\x7f", "\r\t\x1b[31m\x7f", "$'\\x0d\\x09\\x1b[31m\\x7f'"},
    {"a\xff\xfe.mtx", "a\\xff\\xfe.mtx", "a\\xff\\xfe.mtx", "$'a\\xff\\xfe.mtx'"},
    {"it's $HOME `x`", "it's $HOME `x`", "it's $HOME `x`", "'it'\\''s $HOME `x`'"},
    {"\u202egpj", "\\u202egpj", "\u202egpj", "$'\\xe2\\x80\\xaegpj'"},
    {"\u0085\u2028", "\\u0085\\u2028", "\u0085\u2028", "$'\\xc2\\x85\\xe2\\x80\\xa8'"},
    {"'\n\\", "'\\n\\", "'\n\\", "$'\\'\\x0a\\\\'"},
    {"<script>&", "<script>&", "<script>&", "'<script>&'"},
    {"", "", "", "''"},
    // Overlong, a surrogate, beyond Unicode, cut off.
    {"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf", "$'\\xc0\\xaf'"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "$'\\xed\\xa0\\x80'"},
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80", "$'\\xf4\\x90\\x80\\x80'"},
    {"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82", "$'\\xe2\\x82'"},
};

/// What bash makes of a word.
std::string typed_by_bash(const std::string& word) {
  const std::string command = "exec bash -c \"$(cat <<'END'\nprintf %s " + word + "\nEND\n)\"";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  for (int c = 0; pipe && (c = std::getc(pipe.get())) != EOF;) text += static_cast<char>(c);
  return text;
}

}  // namespace

TEST_CASE("Names of any bytes are put out so that they can do no harm") {
  for (const NameCase& name : name_cases) {
    CAPTURE(name.shown);
    CHECK(one_line(name.bytes) == name.shown);
    CHECK(valid_utf8(name.bytes) == name.utf8);
    CHECK(shell_quoted(name.bytes) == name.typed);
    CHECK(one_line(one_line(name.bytes)) == name.shown);
    CHECK(one_line(shell_quoted(name.bytes)) == name.typed);
    CHECK(typed_by_bash(shell_quoted(name.bytes)) == name.bytes);
  }
}

TEST_CASE("Every byte: one line, and valid UTF-8") {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(one_line(all).find_first_of("\n\r\x1b") == std::string::npos);
  CHECK(valid_utf8(one_line(all)) == one_line(all));
  CHECK(typed_by_bash(shell_quoted(all)) == all);
}
