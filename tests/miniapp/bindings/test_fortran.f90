! SPDX-License-Identifier: BSD-3-Clause
!
! Every function of the Fortran module, on a tridiagonal matrix with six rows per rank: numbers of all
! sizes, texts that come back, and a failure.
program test_fortran
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use rowhalo
  implicit none
  integer, parameter :: own = 6
  integer :: rank = -1, ranks, version(3), world, started, k
  integer(c_int), target :: short_offsets(own + 1)
  integer(c_int64_t), target :: offsets(own + 1), columns(3 * own)
  real(c_double), target :: values(3 * own), x(own), y(own)
  real(c_float), target :: single_values(3 * own), single_x(own), single_y(own)
  real(c_double) :: norms(2), expected(own)
  integer(c_int64_t) :: norm_count, entries
  type(rowhalo_operator_info) :: info
  type(rowhalo_report) :: report
  type(c_ptr) :: a, cg
  character(:), allocatable :: options

  call check(rowhalo_start(world, ranks, started), 'start')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, k)
  call require(started == 1 .and. ranks == k .and. world == MPI_COMM_WORLD%MPI_VAL, 'handle of the world')
  call check(rowhalo_version(version), 'version')
  call require(version(1) == 1, 'version')
  call fill()

  call check(rowhalo_create(world, rowhalo_csr(own, own, c_loc(offsets), c_loc(columns), c_loc(values), 8, 8, 8), &
             'format=csr; transport=mpi', a), 'create')
  call check(rowhalo_get_info(a, info), 'info')
  call require(info%rows == own * ranks .and. info%owned_rows == own .and. info%vector_bytes == 8, 'info')
  call require(info%columns == own * ranks .and. info%owned_columns == own .and. info%on_gpu == 0, 'info')
  call require(info%converted_bytes == 0 .and. info%copied_bytes >= 0, 'bytes')
  y = 1
  call check(rowhalo_apply(a, 2d0, x, 0.5d0, y, c_null_ptr), 'apply')
  call require(all(y == 2 * expected + 0.5d0), 'y')
  call check(rowhalo_apply(a, 1d0, c_loc(x), 0d0, c_loc(y), c_null_ptr), 'apply to addresses')
  call require(all(y == expected), 'y at an address')
  call check(rowhalo_check(a, c_null_ptr), 'check')

  call require(rowhalo_refill(a, values, c_null_ptr) == rowhalo_bad_input, 'a refill that was not asked for')
  call check(rowhalo_destroy(a), 'destroy')
  call check(rowhalo_create(world, rowhalo_csr(own, own, c_loc(offsets), c_loc(columns), c_loc(values), 8, 8, 8), &
             'format=csr; transport=mpi; refillable=on', a), 'create')
  call check(rowhalo_refill(a, 2 * values, c_null_ptr), 'refill')
  call check(rowhalo_apply(a, 1d0, x, 0d0, y, c_null_ptr), 'apply')
  call require(all(y == 2 * expected), 'y of new values')
  call check(rowhalo_refill(a, c_loc(values), c_null_ptr), 'refill from an address')
  call check(rowhalo_apply(a, 1d0, x, 0d0, y, c_null_ptr), 'apply')
  call require(all(y == expected), 'y of the old values')

  call check(rowhalo_solver_create(a, 'tolerance=1e-12', c_null_ptr, cg), 'solver')
  x = 0
  call check(rowhalo_solve(cg, y, x, report), 'solve')
  call require(report%converged == 1 .and. rowhalo_text(report%end) == 'converged', 'report')
  call require(all(abs(x - [(entry(int(own * rank + k - 1)), k=1, own)]) < 1d-9), 'x')
  call check(rowhalo_solver_norms(cg, norms, 2_c_int64_t, norm_count), 'norms')
  call require(norm_count == report%iterations + 1 .and. norms(1) == report%first_norm, 'norms')
  call check(rowhalo_solve(cg, c_loc(y), c_loc(x), report), 'solve at addresses')
  call check(rowhalo_solver_destroy(cg), 'solver')
  call check(rowhalo_tuning(a, options), 'tuning')
  call require(index(options, 'format=csr;') > 0, options)
  call check(rowhalo_destroy(a), 'destroy')
  call require(.not. c_associated(a), 'destroyed')

  call check(rowhalo_create(world, rowhalo_csr(own, own, c_loc(short_offsets), c_loc(columns), &
             c_loc(single_values), 4, 8, 4), 'transpose=on', a), 'transpose')
  call check(rowhalo_apply(a, 1d0, single_x, 0d0, single_y, c_null_ptr), 'apply to floats')
  call require(all(single_y == expected), 'y in single precision')
  call check(rowhalo_destroy(a), 'destroy')
  call require(rowhalo_create(world, rowhalo_csr(own, own, c_loc(offsets), c_null_ptr, c_loc(values), 8, 8, 8), '', &
               a) == rowhalo_bad_input, 'a code')
  call require(rowhalo_error() == 'rowhalo_csr: columns is NULL', rowhalo_error())
  deallocate (options)  ! which a main program keeps, and sanitizers count
  call check(rowhalo_end(), 'end')

contains

  ! tridiag(-1, 4, -1), which is symmetric
  subroutine fill()
    integer :: k, row, column

    offsets(1) = 0
    entries = 0
    do k = 1, own
      row = own * rank + k - 1
      do column = max(row - 1, 0), min(row + 1, own * ranks - 1)
        entries = entries + 1
        columns(entries) = column
        values(entries) = merge(4, -1, column == row)
      end do
      offsets(k + 1) = entries
      x(k) = entry(row)
      expected(k) = 4 * entry(row) - entry(row - 1) - entry(row + 1)
    end do
    short_offsets = int(offsets, c_int)
    single_values = real(values, c_float)
    single_x = real(x, c_float)
  end subroutine

  ! Of x; 0 outside.
  pure real(c_double) function entry(number)
    integer, intent(in) :: number

    entry = 0
    if (number >= 0 .and. number < own * ranks) entry = mod(number, 5) - 2
  end function

  subroutine check(code, what)
    integer(c_int), intent(in) :: code
    character(*), intent(in) :: what

    call require(code == rowhalo_success, what // ': ' // rowhalo_error())
  end subroutine

  subroutine require(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what

    if (right) return
    print '(a, i0, a, a)', 'rank ', rank, ', wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

end program
