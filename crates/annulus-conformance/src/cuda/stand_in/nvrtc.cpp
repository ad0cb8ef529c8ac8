// In place of NVIDIA's run-time compiler: CUDA programs become shared objects of the host, by the host's C++
// compiler.
//
// FOLDER: where compiled programs are kept, each under the hash of all that it was made of; unless
// ANNULUS_TEST_CACHE names a folder, which several builds of the tests may share.
// SHIM: a file with the text that stands before each program, as a string literal. RACES: the same, of
// `races.hpp`.
//
// Programs are hundreds and run for moments: compiling them is what costs. ANNULUS_STAND_IN_OPTIMISE says how
// much the host's compiler optimises them, as its option -O: 1 unless said. What stands before each is
// compiled once.
#include "../program.hpp"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sstream>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace {

const char *const shim =
#include SHIM
    ;
// What stands behind it where races are looked for.
const char *const races_text =
#include RACES
    ;

enum Result {
    success = 0,
    invalid_input = 3,
    invalid_program = 4,
    invalid_option = 5,
    compilation = 6,
    internal = 11,
};

struct Program {
    std::string source, name, log, image, ptx;
    bool is_compiled = false;
};

std::mutex lock;
std::set<Program *> &programs()
{
    static auto *all = new std::set<Program *>;
    return *all;
}

bool lives(Program *program)
{
    std::lock_guard<std::mutex> guard(lock);
    return programs().count(program) != 0;
}

// What CUDA 13.0 compiles for.
const unsigned architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

struct Options {
    unsigned architecture = 75;
    bool is_virtual = true;
    std::string standard = "c++17";
    std::vector<std::string> definitions;
};

bool starts_with(const std::string &text, const std::string &start) { return text.compare(0, start.size(), start) == 0; }

// The options as NVRTC knows them; what is wrong with them, or nothing.
std::string read_options(int count, const char *const *options, Options &to)
{
    static const char *const flags[] = {
        "--use_fast_math", "-use_fast_math", "--generate-line-info", "-lineinfo", "--device-debug", "-G", "--restrict", "-restrict",
        "--extra-device-vectorization", "--disable-warnings", "-w", "--minimal", "--device-as-default-execution-space", "-default-device",
        "--no-cache", "--relocatable-device-code=false", "--display-error-number", "--no-display-error-number", "--pch",
    };
    static const char *const with_values[] = {"--maxrregcount=", "--ptxas-options=", "--split-compile=", "--include-path=", "-I",
                                              "--builtin-initializer=", "--device-int128", "--std-headers="};
    for (int i = 0; i < count; i += 1) {
        std::string option = options[i], value = option.substr(std::min(option.size(), option.find('=') + 1));
        auto is_switch = [&] { return value == "true" || value == "false"; };
        if (starts_with(option, "--gpu-architecture=") || starts_with(option, "-arch=")) {
            size_t digits = value.find('_') + 1;
            std::string kind = value.substr(0, digits), number = value.substr(digits);
            bool known = (kind == "sm_" || kind == "compute_") && !number.empty() && number.size() < 4 &&
                         number.find_first_not_of("0123456789") == std::string::npos;
            to.architecture = known ? (unsigned)std::stoul(number) : 0;
            to.is_virtual = kind != "sm_";
            if (std::find(std::begin(architectures), std::end(architectures), to.architecture) == std::end(architectures))
                return "nvrtc: error: invalid value for --gpu-architecture (-arch): " + value;
        } else if (starts_with(option, "--std=") || starts_with(option, "-std=")) {
            if (value != "c++11" && value != "c++14" && value != "c++17" && value != "c++20")
                return "nvrtc: error: invalid value for --std (-std): " + value;
            to.standard = value;
        } else if (starts_with(option, "--fmad=") || starts_with(option, "--ftz=") || starts_with(option, "--prec-div=") ||
                   starts_with(option, "--prec-sqrt=")) {
            if (!is_switch()) return "nvrtc: error: invalid value in " + option;
        } else if (starts_with(option, "--diag-suppress=") || starts_with(option, "--diag-error=") || starts_with(option, "--diag-warn=")) {
            if (value.empty() || value.find_first_not_of("0123456789,") != std::string::npos)
                return "nvrtc: error: invalid value in " + option;
        } else if (starts_with(option, "-D") && option.size() > 2) {
            to.definitions.push_back(option);
        } else if (starts_with(option, "--define-macro=")) {
            to.definitions.push_back("-D" + value);
        } else {
            auto begins = [&](const char *start) { return starts_with(option, start); };
            if (std::find(std::begin(flags), std::end(flags), option) == std::end(flags) &&
                std::none_of(std::begin(with_values), std::end(with_values), begins))
                return "nvrtc: error: unrecognized option " + option + " found";
        }
    }
    return "";
}

std::string read_file(const std::string &path)
{
    std::ifstream from(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>());
}

// Twice FNV-1a, from two beginnings.
std::string hash(const std::string &text)
{
    char digits[33];
    unsigned long long a = 0xCBF29CE484222325, b = 0x9E3779B97F4A7C15;
    for (unsigned char c : text) {
        a = (a ^ c) * 0x100000001B3;
        b = (b ^ c) * 0x100000001B3;
        b ^= b >> 29;
    }
    snprintf(digits, sizeof digits, "%016llx%016llx", a, b);
    return digits;
}

// Runs the compiler; what it wrote to its standard error goes to the file `log`.
int run(std::vector<std::string> words, const std::string &log)
{
    std::vector<char *> pointers;
    for (std::string &word : words) pointers.push_back(&word[0]);
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    pid_t child;
    int status = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// For programs with memory that a launch gives each block: the driver says where it lies.
const char given_text[] = R"(
extern "C" { thread_local void *ann_given_here; }
#define ANN_HOST_GIVEN(T, NAME)                                                                                            \
    static const struct {                                                                                                  \
        operator T *() const { return (T *)ann_given_here; }                                                                    \
        T *operator->() const { return (T *)ann_given_here; }                                                                   \
    } NAME = {}
)";

// The whole text that the host's compiler gets, but for the shim.
std::string whole(const Program &program, const Options &options, bool is_watched)
{
    std::ostringstream text;
    if (is_watched) text << races_text << "\n";
    std::string on_host = program::on_host(program.source);
    if (on_host.find("ANN_HOST_GIVEN(") != std::string::npos) text << given_text;
    text << "#line 1 \"" << program.name << "\"\n" << on_host << "\n#line 1 \"kernels\"\n"
         << "#ifndef ANN_LAUNCH_THREADS\n#define ANN_LAUNCH_THREADS 1024\n#endif\n"
         << "static const ann_kernel ann_kernels[] = {\n";
    std::vector<std::string> names = program::kernels(program.source);
    for (const std::string &name : names) text << "    ANN_KERNEL_OF(" << name << ", ANN_LAUNCH_THREADS),\n";
    text << "    {}\n};\nextern \"C\" const ann_program ann_program = {" << options.architecture << ", &ann_host_machine, " << names.size()
         << ", ann_kernels, ann_touch};\n";
    return text.str();
}

// Where compiled programs are kept.
const std::string &folder()
{
    static const std::string path = [] {
        const char *shared = getenv("ANNULUS_TEST_CACHE");
        return shared && *shared ? std::string(shared) + "/stand-in" : std::string(FOLDER);
    }();
    return path;
}

// A name in this folder that nobody else has.
std::string own_name(const std::string &path)
{
    static std::atomic<unsigned> number;
    return path + "-" + std::to_string(getpid()) + "-" + std::to_string(number++);
}

// The file of the shim, compiled beforehand with these options if the compiler can do that: it looks for such
// a file beside the text, and takes the text where there is none.
std::string shim_file(std::vector<std::string> words)
{
    std::string made_of = std::string(__VERSION__) + shim;
    for (const std::string &word : words) made_of += "\n" + word;
    std::string path = folder() + "/shim-" + hash(made_of) + ".hpp", compiled = path + ".gch";
    std::lock_guard<std::mutex> guard(lock);
    if (access(compiled.c_str(), R_OK) == 0) return path;
    // Others see whole files, or none; the text first.
    std::string own = own_name(path);
    if (access(path.c_str(), R_OK) != 0) {
        std::ofstream(own, std::ios::binary) << shim;
        rename(own.c_str(), path.c_str());
    }
    words.insert(words.end(), {"-x", "c++-header", path, "-o", own + ".gch"});
    if (run(words, own + ".log") == 0) rename((own + ".gch").c_str(), compiled.c_str());
    for (const char *end : {".gch", ".log"}) unlink((own + end).c_str());
    return path;
}

Result compile(Program &program, const Options &options)
{
    mkdir(folder().c_str(), 0700);
    const char *level = getenv("ANNULUS_STAND_IN_OPTIMISE");
    const char *asked = getenv("ANNULUS_STAND_IN_RACES");
    bool is_watched = asked && strcmp(asked, "1") == 0;
    std::vector<std::string> words = {"c++", "-std=" + options.standard, std::string("-O") + (level ? level : "1"), is_watched ? "-g1" : "-g0", "-fno-strict-aliasing",
                                      "-w", "-fPIC", "-fno-exceptions", "-ffp-contract=off", "-fstack-clash-protection"};
    if (is_watched)
        words.insert(words.end(), {"-fsanitize=thread", "--param=tsan-distinguish-volatile=1", "--param=tsan-instrument-func-entry-exit=0"});
    words.insert(words.end(), options.definitions.begin(), options.definitions.end());
    std::string text = whole(program, options, is_watched), made_of = __VERSION__ + (shim + text);
    for (const std::string &word : words) made_of += "\n" + word;
    std::string path = folder() + "/" + hash(made_of);
    program.image = read_file(path + ".so");
    if (!program.image.empty()) return success;
    std::string own = own_name(path), before = shim_file(words);
    std::ofstream(own + ".cpp", std::ios::binary) << text;
    words.insert(words.end(), {"-include", before, own + ".cpp"});
    const std::vector<std::string> link = {"-shared", "-Wl,-Bsymbolic", "-o", own + ".so"};
    int status;
    if (is_watched) {
        // Linked by itself, without the sanitizer's library.
        words.insert(words.end(), {"-c", "-o", own + ".o"});
        status = run(words, own + ".log");
        std::vector<std::string> alone = {"c++", own + ".o"};
        alone.insert(alone.end(), link.begin(), link.end());
        if (status == 0) status = run(alone, own + ".log");
    } else {
        words.insert(words.end(), link.begin(), link.end());
        status = run(words, own + ".log");
    }
    program.log = read_file(own + ".log");
    program.image = status == 0 ? read_file(own + ".so") : "";
    // Others see the whole file, or none.
    if (status == 0) rename((own + ".so").c_str(), (path + ".so").c_str());
    for (const char *end : {".cpp", ".log", ".o", ".so"}) unlink((own + end).c_str());
    if (status < 0) program.log += "the compiler `c++` does not start";
    return program.image.empty() ? compilation : success;
}

// What one of the functions that give a text or an image have to give.
template <class Size>
Result give_size(Program *program, const std::string &what, size_t terminator, Size *size)
{
    if (!size) return invalid_input;
    *size = what.empty() && terminator == 0 ? 0 : what.size() + terminator;
    return lives(program) ? success : invalid_program;
}
Result give(Program *program, const std::string &what, size_t terminator, char *to)
{
    if (!to || !lives(program)) return !to ? invalid_input : invalid_program;
    memcpy(to, what.c_str(), what.size() + terminator);
    return success;
}

} // namespace

extern "C" {

Result nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor) return invalid_input;
    *major = 13;
    *minor = 0;
    return success;
}

Result nvrtcGetNumSupportedArchs(int *count)
{
    *count = (int)std::size(architectures);
    return success;
}

Result nvrtcGetSupportedArchs(int *to)
{
    std::copy(std::begin(architectures), std::end(architectures), to);
    return success;
}

Result nvrtcCreateProgram(Program **program, const char *source, const char *name, int headers, const char *const *, const char *const *)
{
    if (!program || !source || headers < 0) return invalid_input;
    *program = new Program{source, name ? name : "default_program", "", "", "", false};
    std::lock_guard<std::mutex> guard(lock);
    programs().insert(*program);
    return success;
}

Result nvrtcCompileProgram(Program *program, int count, const char *const *words)
{
    if (!lives(program)) return invalid_program;
    if (count < 0 || (count > 0 && !words)) return invalid_input;
    Options options;
    program->log = read_options(count, words, options);
    if (!program->log.empty()) return invalid_option;
    Result result = compile(*program, options);
    program->is_compiled = result == success;
    if (result == success) program->ptx = "// The stand-in makes no PTX.\n";
    // As NVIDIA's: machine code only for a device that there is.
    if (options.is_virtual) program->image.clear();
    return result;
}

Result nvrtcGetProgramLogSize(Program *program, size_t *size) { return lives(program) ? give_size(program, program->log, 1, size) : invalid_program; }
Result nvrtcGetProgramLog(Program *program, char *log) { return lives(program) ? give(program, program->log, 1, log) : invalid_program; }

Result nvrtcGetCUBINSize(Program *program, size_t *size)
{
    return lives(program) && program->is_compiled ? give_size(program, program->image, 0, size) : invalid_program;
}
Result nvrtcGetCUBIN(Program *program, char *image)
{
    return lives(program) && program->is_compiled ? give(program, program->image, 0, image) : invalid_program;
}
Result nvrtcGetPTXSize(Program *program, size_t *size)
{
    return lives(program) && program->is_compiled ? give_size(program, program->ptx, 1, size) : invalid_program;
}
Result nvrtcGetPTX(Program *program, char *ptx)
{
    return lives(program) && program->is_compiled ? give(program, program->ptx, 1, ptx) : invalid_program;
}

Result nvrtcDestroyProgram(Program **program)
{
    if (!program) return invalid_input;
    std::lock_guard<std::mutex> guard(lock);
    if (programs().erase(*program) == 0) return invalid_program;
    delete *program;
    *program = nullptr;
    return success;
}

const char *nvrtcGetErrorString(Result result)
{
    switch (result) {
    case success: return "NVRTC_SUCCESS";
    case invalid_input: return "NVRTC_ERROR_INVALID_INPUT";
    case invalid_program: return "NVRTC_ERROR_INVALID_PROGRAM";
    case invalid_option: return "NVRTC_ERROR_INVALID_OPTION";
    case compilation: return "NVRTC_ERROR_COMPILATION";
    case internal: return "NVRTC_ERROR_INTERNAL_ERROR";
    }
    return "NVRTC_ERROR unknown";
}

// Not NVIDIA's: a program's text as C++ of the host, into `to` if there is room for it and its end; its
// length.
size_t annulus_on_host(const char *source, char *to, size_t room)
{
    std::string text = program::on_host(source);
    if (text.size() < room) memcpy(to, text.c_str(), text.size() + 1);
    return text.size();
}
}
