# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants in solvers: their steps, their sums and what is reported of them

steps=kernels/vectors/vector_steps.hpp
scalars=kernels/vectors/scalar_steps.hpp
diagnosis=miniapp/commands/diagnosis.cpp

fault "a dot misses its first term" $steps \
  '{{a[i] * b[i], b[i]' \
  '{{i == 0 ? 0.0 : a[i] * b[i], b[i]'
fault "the last piece of rows is missing in p.q" kernels/cpu/cpu_format.hpp \
  'sum += dot(first, last, arguments.x, arguments.y);' \
  'if (last < end || first == begin) sum += dot(first, last, arguments.x, arguments.y);' \
  test_kernels
fault "p.q lacks the boundary rows" miniapp/spmv/operator.cpp \
  'p.dot_parts != nullptr ? p.dot_parts + *kernels.interior->dot_parts() : nullptr' \
  'p.dot_parts' \
  test_miniapp_n2
fault "x of cg takes the new direction" $steps \
  'x[i] = fma(alpha.value, p_i, x_i);' \
  'x[i] = fma(alpha.value, fma(beta.value, p_i, z_i), x_i);'
fault "alpha and beta of cg swapped" $steps \
  'x[i] = fma(alpha.value, p_i, x_i);' \
  'x[i] = fma(beta.value, p_i, x_i);'
fault "cg takes M^-1 for M where r is wanted" $steps \
  'z[i] = next;
    const double r = next / d;' \
  'z[i] = next;
    const double r = next * d;'
fault "cg with one reduction keeps u without M^-1" $steps \
  'fma(-alpha.value, d * image, kept[i])' \
  'fma(-alpha.value, image, kept[i])'
fault "r is read where z has been stored" $steps \
  'return {{r_i * z, r_i * r_i, z * z}};' \
  'return {{r[i] * z, r[i] * r[i], z * z}};'
fault "x of cg with one reduction goes along u" $steps \
  'x[i] = fma(alpha.value, direction, x_i);' \
  'x[i] = fma(alpha.value, u[i], x_i);' \
  cli_solve
fault "pipelined cg forgets M^-1 s" $steps \
  'next_u = fma(-a, next_q, u[i]);' \
  'next_u = fma(-a, next_s, u[i]);' \
  cli_solve
fault "blocks take the next row's r" $steps \
  'r[first + j], sum);' \
  'r[first + (j + 1) % size], sum);'
fault "jacobi takes the first row's diagonal" kernels/vectors/step.hpp \
  '? diagonal[i] : 1' \
  '? diagonal[0] : 1'
fault "sign of omega in the direction of bicgstab" $steps \
  'fma(-omega.value, v[i], p[i])' \
  'fma(omega.value, v[i], p[i])'
fault "bicgstab begins again with the old r0" $steps \
  'if (restart.value != 0) r0[i] = r[i];' \
  ''
fault "changes of PageRank cancel" $steps \
  'fabs(next - x[i])' \
  '(next - x[i])' \
  cli_solve
fault "beta of cg without the old rho" $scalars \
  '== 0 ? 0 : sum[0] / scalars[at_rho];' \
  '== 0 ? 0 : sum[0] / sum[0];' \
  cli_solve
fault "beta of cg with one reduction stays" $scalars \
  'const double beta = first ? 0 : rho / scalars[at_rho];' \
  'const double beta = first ? 0 : scalars[at_beta];' \
  cli_solve
fault "cg with one reduction watches |r| only" $scalars \
  'scalars[at_norm2] = sum[norm];
    const double rho' \
  'scalars[at_norm2] = sum[1];
    const double rho' \
  cli_solve
fault "an indefinite matrix is not noticed" $scalars \
  'if (quotient < -flat * largest) {' \
  'if (quotient < -1e300) {' \
  cli_solve
fault "rounding errors of p.A p count as indefinite" $scalars \
  'if (quotient < -flat * largest) {' \
  'if (quotient < flat * largest) {' \
  cli_solutions
fault "what has vanished is absolute" $scalars \
  'scalars[at_vanished_rho] = vanished * rho;' \
  'scalars[at_vanished_rho] = vanished;' \
  test_miniapp_n1
fault "cg goes on with what has vanished" $scalars \
  'if (rho <= scalars[at_vanished_rho]) return 0;' \
  'if (rho < 0) return 0;' \
  test_miniapp_n1
fault "Rayleigh quotient over |y|^2" $scalars \
  'scalars[at_alpha] = sum[0] / sum[2];' \
  'scalars[at_alpha] = sum[0] / sum[1];' \
  cli_solve
fault "PageRank loses the mass of dangling columns" $scalars \
  'fma(damping, sum[1], 1 - damping)' \
  'fma(damping, 0 * sum[1], 1 - damping)' \
  cli_solve
fault "exact sums drop a carry" kernels/vectors/exact_sum.hpp \
  'word[limb] + carry;' \
  'word[limb] + (limb % 8 == 7 ? 0 : carry);'
fault "exact sums round ties up" kernels/vectors/exact_sum.hpp \
  '(rest == half && (kept & 1) != 0)' \
  'rest == half'
fault "the first column of a rank is not normalized" miniapp/solve/scaling.cpp \
  'if (sums.sum[column] == 0) continue;' \
  'if (sums.sum[column] == 0 || column == 0) continue;' \
  cli_solve
fault "sums of columns are those of the rank" miniapp/solve/scaling.cpp \
  'mine += theirs;' \
  'mine = theirs;' \
  cli_solve
fault "each rank has its own exponent of a column" miniapp/solve/scaling.cpp \
  'mine = std::max(mine, theirs); }' \
  'mine = theirs; }' \
  test_miniapp_n4
fault "elimination in a block forgets the factor" miniapp/solve/preconditioner.cpp \
  'row(i)[j] -= factor * row(column)[j];' \
  'row(i)[j] -= (j < n ? factor : 1) * row(column)[j];' \
  cli_solve
fault "the first singular row is lost" miniapp/solve/preconditioner.cpp \
  'singular < 0) singular = first;' \
  'singular < 0) singular = first + 1;' \
  cli_solve
fault "boundary rows take the ghosts of the last direction" miniapp/spmv/steps.cpp \
  '                                  {Step::finish_halo, beside},
                                  {Step::boundary_rows, beside},' \
  '                                  {Step::boundary_rows, beside},
                                  {Step::finish_halo, beside},' \
  cli_solve
fault "sums of rank 1 are missing" miniapp/solve/rank_sums.cpp \
  'void* data = words.data;' \
  'void* data = words.data; if (comm_.rank == 1) std::memset(data, 0, words.bytes());' \
  test_miniapp_n2
fault "a signal does not travel in the sums" miniapp/solve/workspace.cpp \
  '*stop_ = 1;' \
  '*stop_ = 0;' \
  faults_short
fault "the tolerance forgets the first norm" kernels/vectors/verdict.hpp \
  'norm <= rule.tolerance * whole' \
  'norm <= rule.tolerance' \
  cli_solve
fault "history counts from 1" miniapp/commands/solve.cpp \
  'solver.method, k, solver.norms[k]' \
  'solver.method, k + 1, solver.norms[k]' \
  cli_solve
fault "b - A x is not looked at" $diagnosis \
  'constexpr double most_drift = 100;' \
  'constexpr double most_drift = 1e300;' \
  cli_solve
fault "b - A x is not looked at after another norm" $diagnosis \
  '= converged          ?' \
  '= converged && watches_residual ?' \
  cli_solutions
fault "the known solution is not compared" $diagnosis \
  'if (converged && report.error &&' \
  'if (!converged && report.error &&' \
  cli_solutions
fault "x that underflows passes" $diagnosis \
  'if (size < std::numeric_limits<double>::min_exponent - 1) {' \
  'if (size < -9999) {' \
  cli_solutions
fault "a negative diagonal is not looked for" $diagnosis \
  'return has_negative_diagonal(comm, matrix) ?' \
  'return !has_negative_diagonal(comm, matrix) ?' \
  cli_solutions
fault "bicgstab does not look whether A p is 0" $diagnosis \
  'return stuck ? SolverEnd::incompatible : end;' \
  'return end;' \
  cli_solutions
fault "x is not scaled back" miniapp/commands/solve.cpp \
  'scaled(outcome.x, system.scale.solution())' \
  'scaled(outcome.x, system.scale.rhs)' \
  cli_solutions
fault "lambda is that of the scaled matrix" miniapp/commands/solve.cpp \
  'std::scalbn(outcome.eigenvalue, system.scale.matrix)' \
  'std::scalbn(outcome.eigenvalue, 0)' \
  cli_solutions
fault "the natural norm is scaled as r" miniapp/solve/scaling.hpp \
  'norm == ResidualNorm::natural        ? rhs - matrix / 2' \
  'norm == ResidualNorm::natural        ? rhs' \
  cli_solutions
fault "cg takes any matrix" miniapp/commands/solve.cpp \
  'constexpr double rounding = 1e-12;' \
  'constexpr double rounding = 1e12;' \
  cli_solve
fault "the sum of PageRank is not looked at" miniapp/commands/system.cpp \
  'std::fabs(sum_reals_over_ranks(comm, sum) - 1)' \
  '0 * sum_reals_over_ranks(comm, sum)' \
  cli_solve
fault "values of small matrices stay as they are" miniapp/solve/scaling.cpp \
  'largest >= 1 / safe' \
  'largest >= 0' \
  cli_solutions
fault "an indefinite preconditioner is not a number in its own norm" kernels/vectors/verdict.hpp \
  'if (trouble != SolverEnd::none) return trouble;
    return norm' \
  'return norm' \
  cli_solutions
