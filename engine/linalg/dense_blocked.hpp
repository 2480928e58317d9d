// SPDX-License-Identifier: BSD-3-Clause
// LU factorisation and products on our own register kernels, for processors that the LAPACK at hand does not know.
#pragma once

namespace conoid::dense::blocked {

/// Asked by every thread before each tile, some hundred microseconds of work; `heard` may be null.
struct Wish {
  bool (*heard)(const void* whom);
  const void* whom;
};

/// P A = L U in place with partial pivoting by |re| + |im|, as LAPACK's getrf: n × n column-major, numbers as pairs (re, im),
/// pivots from 1. Returns 0 or the number (from 1) of the first zero pivot, or −1 when the
/// wish to stop was heard, and the matrix is good for nothing. The bits of the result do not depend on the
/// number of threads: each block of the matrix is computed by one thread, in an order that the block sizes alone decide.
/// Needs AVX2 and FMA, or AVX-512 (F, VL, DQ, BW). Throws std::bad_alloc for its work space of about 0.4 GB at n = 20,000.
int factorise_avx2(float* a, long n, int* pivots, int threads, Wish wish);
int factorise_avx2(double* a, long n, int* pivots, int threads, Wish wish);
int factorise_avx512(float* a, long n, int* pivots, int threads, Wish wish);
int factorise_avx512(double* a, long n, int* pivots, int threads, Wish wish);

/// Y = β Y + A X on the same kinds of registers: A m × k, X k × n, Y m × n, column-major, leading dimensions m, k, m, numbers as pairs.
/// With β = 0 the values that Y had do not count. The bits do not depend on the number of threads: long sums go in pieces whose
/// number follows from the sizes, added in their order. Throws std::bad_alloc.
void multiply_avx2(long m, long n, long k, const float* a, const float* x, const float* beta, float* y, int threads);
void multiply_avx2(long m, long n, long k, const double* a, const double* x, const double* beta, double* y,
                   int threads);
void multiply_avx512(long m, long n, long k, const float* a, const float* x, const float* beta, float* y, int threads);
void multiply_avx512(long m, long n, long k, const double* a, const double* x, const double* beta, double* y,
                     int threads);

/// C −= A B by one thread: A m × k, B k × n, C m × n, column-major with leading dimensions, numbers as pairs; `work`: work_numbers() numbers.
void subtract_product_avx2(long m, long n, long k, const double* a, long lda, const double* b, long ldb, double* c,
                           long ldc, double* work);
void subtract_product_avx512(long m, long n, long k, const double* a, long lda, const double* b, long ldb, double* c,
                             long ldc, double* work);
void subtract_product_avx2(long m, long n, long k, const float* a, long lda, const float* b, long ldb, float* c,
                           long ldc, float* work);
void subtract_product_avx512(long m, long n, long k, const float* a, long lda, const float* b, long ldb, float* c,
                             long ldc, float* work);
long work_numbers_avx2();
long work_numbers_avx512();

}  // namespace conoid::dense::blocked
