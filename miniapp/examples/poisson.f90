! SPDX-License-Identifier: BSD-3-Clause
!
! -u'' = f in two dimensions from Fortran: the 5-point stencil on a square grid, whose rows the ranks
! share, solved by CG. mpirun -n 3 example_poisson_fortran
program poisson
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use rowhalo
  implicit none
  integer, parameter :: side = 64, points = side * side
  integer :: rank, ranks, provided, first, own, i
  integer(c_int), allocatable, target :: offsets(:), columns(:)
  real(c_double), allocatable, target :: values(:)
  real(c_double), allocatable :: ones(:), b(:), x(:)
  real(c_double) :: error
  type(rowhalo_report) :: report
  type(c_ptr) :: a, cg

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  first = points * rank / ranks
  own = points * (rank + 1) / ranks - first
  allocate (offsets(own + 1), columns(0), values(0), ones(own), b(own), x(own))
  offsets(1) = 0
  do i = 1, own
    call add_row(first + i - 1)
    offsets(i + 1) = size(columns)
  end do
  ones = 1

  call check(rowhalo_create(MPI_COMM_WORLD%MPI_VAL, rowhalo_csr(own, own, c_loc(offsets), c_loc(columns), &
             c_loc(values), 4, 4, 8), '', a))
  call check(rowhalo_apply(a, 1d0, ones, 0d0, b, c_null_ptr))  ! b = A 1, so the solution is 1
  call check(rowhalo_solver_create(a, 'method=cg; tolerance=1e-10', c_null_ptr, cg))
  call check(rowhalo_solve(cg, b, x, report))
  error = maxval(abs(x - 1))
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(a, a, i0, a, es8.1)', rowhalo_text(report%end), ' after ', report%iterations, &
    ' iterations, largest error', error
  call check(rowhalo_solver_destroy(cg))
  call check(rowhalo_destroy(a))
  deallocate (offsets, columns, values, ones, b, x)
  call MPI_Finalize()
  if (report%converged == 0 .or. error > 1d-7) error stop 1

contains

  subroutine add_row(row)  ! numbers count from 0
    integer, intent(in) :: row
    logical :: inside(5)

    inside = [row >= side, mod(row, side) > 0, .true., mod(row, side) < side - 1, row < points - side]
    columns = [columns, pack([row - side, row - 1, row, row + 1, row + side], inside)]
    values = [values, pack([-1d0, -1d0, 4d0, -1d0, -1d0], inside)]
  end subroutine

  subroutine check(code)
    integer(c_int), intent(in) :: code

    if (code == rowhalo_success) return
    print '(a)', rowhalo_error()
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

end program
