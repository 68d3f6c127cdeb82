// What one core of this machine can do at most: multiply-adds of bytes, and bytes read from memory.
// Compiled and run by parse_profile.py; prints both per CPU second.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

constexpr int kSums = 12;  // that do not wait for each other, all of them in registers

double seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The best of several runs of work(), which returns what it did.
template <typename Work>
double rate(Work work) {
    double best = 0;
    for (int run = 0; run < 9; ++run) {
        const double start = seconds();
        const double done = work();
        best = std::max(best, done / (seconds() - start));
    }
    return best;
}

volatile std::int32_t sink;

#if defined(__AVX512VNNI__)
const char* const kind = "AVX-512 VNNI";
double multiply_adds() {
    const std::int32_t start = sink;
    __m512i sums[kSums], total = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (int r = 0; r < kSums; ++r) sums[r] = _mm512_set1_epi32(start + r);  // different ones, or one would do
    __m512i a = _mm512_set1_epi32(sink), b = _mm512_set1_epi32(sink + 1);
    constexpr int kRounds = 4'000'000;
    for (int round = 0; round < kRounds; ++round) {
        __asm__ volatile("" : "+v"(a), "+v"(b));  // or the compiler would do all rounds at once
#pragma GCC unroll 16
        for (int r = 0; r < kSums; ++r) sums[r] = _mm512_dpbusd_epi32(sums[r], a, b);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kSums; ++r) total = _mm512_add_epi32(total, sums[r]);
    sink = _mm512_reduce_add_epi32(total);
    return 64.0 * kSums * kRounds;
}
#elif defined(__AVX2__)
const char* const kind = "AVX2, as 16-bit integers";
double multiply_adds() {
    const std::int32_t start = sink;
    __m256i sums[kSums], total = _mm256_setzero_si256();
#pragma GCC unroll 16
    for (int r = 0; r < kSums; ++r) sums[r] = _mm256_set1_epi32(start + r);  // different ones, or one would do
    __m256i a = _mm256_set1_epi32(sink), b = _mm256_set1_epi32(sink + 1);
    constexpr int kRounds = 4'000'000;
    for (int round = 0; round < kRounds; ++round) {
        __asm__ volatile("" : "+x"(a), "+x"(b));
#pragma GCC unroll 16
        for (int r = 0; r < kSums; ++r) sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(a, b));
    }
#pragma GCC unroll 16
    for (int r = 0; r < kSums; ++r) total = _mm256_add_epi32(total, sums[r]);
    sink = _mm256_extract_epi32(total, 0);
    return 16.0 * kSums * kRounds;
}
#else
const char* const kind = "as the compiler has it";
double multiply_adds() {
    static std::int8_t a[4096];
    static std::uint8_t b[4096];
    constexpr int kRounds = 10'000;
    for (int round = 0; round < kRounds; ++round) {
        std::int32_t sum = 0;
        __asm__ volatile("" : : "r"(a), "r"(b) : "memory");
        for (int i = 0; i < 4096; ++i) sum += a[i] * b[i];
        sink = sink + sum;
    }
    return 4096.0 * kRounds;
}
#endif

double read_all(const std::vector<std::uint64_t>& data) {
    std::uint64_t sum = 0;
    for (const std::uint64_t value : data) sum += value;
    sink = static_cast<std::int32_t>(sum);
    return 8.0 * static_cast<double>(data.size());
}

}  // namespace

int main() {
    const std::vector<std::uint64_t> data(std::size_t(64) << 20, 1);  // 512 MiB: more than any cache
    const double products = rate(multiply_adds), bytes = rate([&] { return read_all(data); });
    std::printf("{\"kind\": \"%s\", \"multiply_adds_per_second\": %.4g, \"bytes_per_second\": %.4g}\n", kind, products, bytes);
}
