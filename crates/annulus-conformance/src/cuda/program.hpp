// A CUDA program's text as C++ of the host. What the host's compiler cannot take is inline PTX: `asm
// volatile("op a, b;" : … )` becomes `ptx_op(a, b)`, dots in the instruction's name written as underscores.
// An instruction that `device.hpp` does not define is an error of the compiler, which names it. `.reg .b128
// x` declares a variable, for which the calls become a statement of its own; it must not have the name of a
// variable in the operands. Braces, around instructions or vectors, mean nothing here.
//
// `extern __shared__ T name[];`, the memory that a launch gives each block, becomes `ANN_HOST_GIVEN(T, name);`.
#include <stddef.h>
#include <string.h>
#include <string>
#include <vector>

namespace program {

static inline bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }
static inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\'; }

// Past the comment or literal that begins at `at`, or `at`.
static size_t skip(const std::string &text, size_t at)
{
    if (text.compare(at, 2, "//") == 0) {
        size_t end = text.find('\n', at);
        return end == std::string::npos ? text.size() : end;
    }
    if (text.compare(at, 2, "/*") == 0) {
        size_t end = text.find("*/", at + 2);
        return end == std::string::npos ? text.size() : end + 2;
    }
    // An apostrophe within a number separates digits.
    if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !is_word(text[at - 1])))) {
        char quote = text[at];
        size_t end = at + 1;
        while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
        return end < text.size() ? end + 1 : text.size();
    }
    return at;
}

static size_t after_spaces(const std::string &text, size_t at)
{
    for (;;) {
        while (at < text.size() && is_space(text[at])) at += 1;
        size_t next = at < text.size() && text[at] == '/' ? skip(text, at) : at;
        if (next == at) return at;
        at = next;
    }
}

static bool starts_word(const std::string &text, size_t at, const char *word)
{
    size_t length = std::string(word).size();
    return text.compare(at, length, word) == 0 && (at == 0 || !is_word(text[at - 1])) &&
           (at + length >= text.size() || !is_word(text[at + length]));
}

// The end of what the parenthesis at `at` opens, past its twin.
static size_t past_parenthesis(const std::string &text, size_t at)
{
    int depth = 0;
    while (at < text.size()) {
        size_t next = skip(text, at);
        if (next != at) {
            at = next;
            continue;
        }
        if (text[at] == '(') depth += 1;
        if (text[at] == ')' && --depth == 0) return at + 1;
        at += 1;
    }
    return at;
}

static std::string trimmed(const std::string &text)
{
    size_t from = 0, to = text.size();
    while (from < to && is_space(text[from])) from += 1;
    while (to > from && is_space(text[to - 1])) to -= 1;
    return text.substr(from, to - from);
}

// One operand of an instruction.
static std::string operand(std::string text, const std::vector<std::string> &expressions)
{
    text = trimmed(text);
    if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = trimmed(text.substr(1, text.size() - 2));
    if (text.compare(0, 2, "%%") == 0) return "ptx_" + text.substr(2);
    if (text.compare(0, 1, "%") != 0) return text;
    size_t digits = text.find_first_not_of("0123456789", 1);
    size_t index = digits == 1 || digits != std::string::npos ? expressions.size() : (size_t)std::stoul(text.substr(1));
    // Something else, which the compiler refuses, and names.
    return index < expressions.size() ? expressions[index] : "ptx_operand_that_is_not_known(" + text.substr(1) + ")";
}

// The statement within the parentheses of an `asm`, as calls.
static std::string calls(const std::string &inside)
{
    std::string instructions;
    std::vector<std::string> expressions;
    size_t at = after_spaces(inside, 0);
    while (at < inside.size() && inside[at] == '"') {
        size_t end = skip(inside, at);
        instructions += inside.substr(at + 1, end - at - 2);
        at = after_spaces(inside, end);
    }
    for (const char *escape : {"\\n", "\\t", "{", "}"})
        for (size_t found; (found = instructions.find(escape)) != std::string::npos;) instructions.replace(found, strlen(escape), " ");
    while (at < inside.size()) {
        if (inside[at] == '(') {
            size_t end = past_parenthesis(inside, at);
            expressions.push_back(inside.substr(at, end - at));
            at = end;
        } else {
            size_t next = skip(inside, at);
            at = next == at ? at + 1 : next;
        }
    }
    std::string out, registers;
    for (size_t from = 0; from < instructions.size();) {
        size_t to = instructions.find(';', from);
        if (to == std::string::npos) to = instructions.size();
        std::string one = trimmed(instructions.substr(from, to - from));
        from = to + 1;
        if (one.empty()) continue;
        size_t name_end = one.find_first_of(" \t");
        std::string name = one.substr(0, name_end), list;
        if (name == ".reg") {
            registers += "ptx_" + trimmed(one.substr(name_end)).substr(1) + "; ";
            continue;
        }
        for (char &c : name)
            if (!is_word(c)) c = '_';
        for (size_t left = name_end; left < one.size();) {
            size_t comma = one.find(',', left);
            if (comma == std::string::npos) comma = one.size();
            list += (list.empty() ? "" : ", ") + operand(one.substr(left, comma - left), expressions);
            left = comma + 1;
        }
        out += (out.empty() ? "ptx_" : ", ptx_") + name + "(" + list + ")";
    }
    if (out.empty()) out = "(void)0";
    return registers.empty() ? "(" + out + ")" : "({ " + registers + out + "; })";
}

// What the declaration `extern __shared__ T name[]` becomes; empty if it is another one.
static std::string given(const std::string &declaration)
{
    size_t close = declaration.rfind(']'), open = declaration.rfind('[');
    if (open == std::string::npos || close == std::string::npos || close < open) return "";
    size_t end = open;
    while (end > 0 && is_space(declaration[end - 1])) end -= 1;
    size_t begin = end;
    while (begin > 0 && is_word(declaration[begin - 1])) begin -= 1;
    return "ANN_HOST_GIVEN(" + trimmed(declaration.substr(0, begin)) + ", " + declaration.substr(begin, end - begin) + ")";
}

// The whole text. Lines stay what they are.
static std::string on_host(const std::string &text)
{
    std::string out;
    for (size_t at = 0; at < text.size();) {
        size_t next = skip(text, at);
        if (next == at && starts_word(text, at, "asm")) {
            size_t open = after_spaces(text, at + 3);
            if (starts_word(text, open, "volatile")) open = after_spaces(text, open + 8);
            if (open < text.size() && text[open] == '(') {
                next = past_parenthesis(text, open);
                out += calls(text.substr(open + 1, next - open - 2));
                for (size_t i = at; i < next; i += 1)
                    if (text[i] == '\n') out += text[i - 1] == '\\' ? "\\\n" : "\n";
                at = next;
                continue;
            }
        }
        if (next == at && starts_word(text, at, "extern")) {
            size_t shared = after_spaces(text, at + 6), end = text.find(';', at);
            if (starts_word(text, shared, "__shared__") && end != std::string::npos) {
                std::string call = given(text.substr(shared + 10, end - shared - 10));
                if (!call.empty()) {
                    out += call;
                    for (size_t i = at; i < end; i += 1)
                        if (text[i] == '\n') out += '\n';
                    at = end;
                    continue;
                }
            }
        }
        if (next == at) next = at + 1;
        out.append(text, at, next - at);
        at = next;
    }
    return out;
}

// The names of the program's kernels: what stands before the parameters of each function that is
// `__global__`, or `ANN_KERNEL`.
static std::vector<std::string> kernels(const std::string &text)
{
    std::vector<std::string> names;
    bool line_is_directive = false;
    for (size_t at = 0; at < text.size();) {
        size_t next = skip(text, at);
        if (next != at) {
            at = next;
            continue;
        }
        if (text[at] == '\n' && (at == 0 || text[at - 1] != '\\')) line_is_directive = false;
        if (text[at] == '#') line_is_directive = true;
        if (!line_is_directive && (starts_word(text, at, "__global__") || starts_word(text, at, "ANN_KERNEL"))) {
            std::string name;
            for (at += 10; at < text.size() && text[at] != ';' && text[at] != '{';) {
                if (text[at] == '(') {
                    if (name != "__launch_bounds__") break;
                    at = past_parenthesis(text, at);
                    name.clear();
                } else if (is_word(text[at])) {
                    size_t from = at;
                    while (at < text.size() && is_word(text[at])) at += 1;
                    name = text.substr(from, at - from);
                } else {
                    at += 1;
                }
            }
            bool is_new = !name.empty();
            for (const std::string &other : names) is_new = is_new && other != name;
            if (is_new) names.push_back(name);
            continue;
        }
        at += 1;
    }
    return names;
}

} // namespace program
