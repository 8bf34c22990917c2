! SPDX-License-Identifier: BSD-3-Clause
!
! Rowhalo from Fortran 2008: the functions of rowhalo.h, which says what each does, costs and refuses.
! Compile this file with the program, by the program's compiler, and link with -lrowhalo.
!
! Rows: type rowhalo_csr, with c_loc() of arrays that have the target attribute. Columns and offsets
! count from 0, as in C. Communicators: the integer handle of `use mpi`, %MPI_VAL of `use mpi_f08`.
! Every function returns rowhalo_success or another code; rowhalo_error() is the text. x, y and b are
! arrays of the host, or type(c_ptr) with addresses of a GPU. Streams: c_null_ptr, or a cudaStream_t.
module rowhalo
  use, intrinsic :: iso_c_binding
  implicit none
  private

  public :: rowhalo_csr, rowhalo_operator_info, rowhalo_report
  public :: rowhalo_success, rowhalo_failed, rowhalo_bad_input, rowhalo_no_memory
  public :: rowhalo_version, rowhalo_error, rowhalo_start, rowhalo_end
  public :: rowhalo_create, rowhalo_get_info, rowhalo_tuning, rowhalo_apply, rowhalo_check
  public :: rowhalo_refill, rowhalo_destroy
  public :: rowhalo_solver_create, rowhalo_solve, rowhalo_solver_norms, rowhalo_solver_destroy
  public :: rowhalo_text

  enum, bind(c)
    enumerator :: rowhalo_success = 0, rowhalo_failed = 1, rowhalo_bad_input = 2, rowhalo_no_memory = 3
  end enum

  type, bind(c) :: rowhalo_csr
    integer(c_int64_t) :: rows, owned_columns
    type(c_ptr) :: offsets, columns, values
    integer(c_int) :: offset_bytes, column_bytes, value_bytes
  end type

  type, bind(c) :: rowhalo_operator_info
    integer(c_int64_t) :: rows, columns, owned_rows, owned_columns, copied_bytes, converted_bytes
    integer(c_int) :: on_gpu, vector_bytes
  end type

  type, bind(c) :: rowhalo_report
    integer(c_int64_t) :: iterations
    real(c_double) :: first_norm, last_norm, seconds
    type(c_ptr) :: end  ! rowhalo_text(report%end): "converged", ...
    integer(c_int) :: converged
  end type

  interface
    integer(c_int) function rowhalo_version(version) bind(c)
      import
      integer(c_int), intent(out) :: version(3)
    end function

    integer(c_int) function rowhalo_start(world, ranks, started) bind(c)
      import
      integer(c_int), intent(out) :: world, ranks, started
    end function

    integer(c_int) function rowhalo_end() bind(c)
      import
    end function

    integer(c_int) function rowhalo_get_info(op, info) bind(c)
      import
      type(c_ptr), value :: op
      type(rowhalo_operator_info), intent(out) :: info
    end function

    integer(c_int) function rowhalo_check(op, stream) bind(c)
      import
      type(c_ptr), value :: op, stream
    end function

    integer(c_int) function rowhalo_destroy(op) bind(c)
      import
      type(c_ptr), intent(inout) :: op
    end function

    integer(c_int) function rowhalo_solver_norms(solver, norms, room, count) bind(c)
      import
      type(c_ptr), value :: solver
      real(c_double), intent(inout) :: norms(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: count
    end function

    integer(c_int) function rowhalo_solver_destroy(solver) bind(c)
      import
      type(c_ptr), intent(inout) :: solver
    end function
  end interface

  ! y = alpha A x + beta y
  interface rowhalo_apply
    integer(c_int) function apply_doubles(op, alpha, x, beta, y, stream) bind(c, name="rowhalo_apply")
      import
      type(c_ptr), value :: op, stream
      real(c_double), value :: alpha, beta
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: y(*)
    end function

    integer(c_int) function apply_floats(op, alpha, x, beta, y, stream) bind(c, name="rowhalo_apply_float")
      import
      type(c_ptr), value :: op, stream
      real(c_double), value :: alpha, beta
      real(c_float), intent(in) :: x(*)
      real(c_float), intent(inout) :: y(*)
    end function

    integer(c_int) function apply_addresses(op, alpha, x, beta, y, stream) bind(c, name="rowhalo_apply")
      import
      type(c_ptr), value :: op, x, y, stream
      real(c_double), value :: alpha, beta
    end function
  end interface

  ! New values in the same places.
  interface rowhalo_refill
    integer(c_int) function refill_doubles(op, values, stream) bind(c, name="rowhalo_refill")
      import
      type(c_ptr), value :: op, stream
      real(c_double), intent(in) :: values(*)
    end function

    integer(c_int) function refill_addresses(op, values, stream) bind(c, name="rowhalo_refill")
      import
      type(c_ptr), value :: op, values, stream
    end function
  end interface

  ! A x = b
  interface rowhalo_solve
    integer(c_int) function solve_doubles(solver, b, x, report) bind(c, name="rowhalo_solve")
      import
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: b(*)
      real(c_double), intent(inout) :: x(*)
      type(rowhalo_report), intent(out) :: report
    end function

    integer(c_int) function solve_addresses(solver, b, x, report) bind(c, name="rowhalo_solve")
      import
      type(c_ptr), value :: solver, b, x
      type(rowhalo_report), intent(out) :: report
    end function
  end interface

  interface
    type(c_ptr) function error_in_c() bind(c, name="rowhalo_error")
      import
    end function

    integer(c_int) function create_in_c(comm, rows, options, op) bind(c, name="rowhalo_create_f")
      import
      integer(c_int), value :: comm
      type(rowhalo_csr), intent(in) :: rows
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(out) :: op
    end function

    integer(c_int) function tuning_in_c(op, options) bind(c, name="rowhalo_tuning")
      import
      type(c_ptr), value :: op
      type(c_ptr), intent(out) :: options
    end function

    integer(c_int) function solver_create_in_c(op, options, stream, solver) bind(c, name="rowhalo_solver_create")
      import
      type(c_ptr), value :: op, stream
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(out) :: solver
    end function

    integer(c_size_t) function strlen(text) bind(c)
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! A text of C; empty where there is none.
  function rowhalo_text(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: k

    text = ''
    if (.not. c_associated(address)) return
    call c_f_pointer(address, letters, [strlen(address)])
    text = repeat(' ', size(letters))
    do k = 1, size(letters)
      text(k:k) = letters(k)
    end do
  end function

  function rowhalo_error() result(text)
    character(:), allocatable :: text

    text = rowhalo_text(error_in_c())
  end function

  ! `options`: '' for the defaults.
  integer(c_int) function rowhalo_create(comm, rows, options, op) result(code)
    integer, intent(in) :: comm
    type(rowhalo_csr), intent(in) :: rows
    character(*), intent(in) :: options
    type(c_ptr), intent(out) :: op

    op = c_null_ptr
    code = create_in_c(int(comm, c_int), rows, options // c_null_char, op)
  end function

  ! `options`: those that would make the operator again without trials.
  integer(c_int) function rowhalo_tuning(op, options) result(code)
    type(c_ptr), intent(in) :: op
    character(:), allocatable, intent(out) :: options
    type(c_ptr) :: text

    text = c_null_ptr
    code = tuning_in_c(op, text)
    options = rowhalo_text(text)
  end function

  integer(c_int) function rowhalo_solver_create(op, options, stream, solver) result(code)
    type(c_ptr), intent(in) :: op, stream
    character(*), intent(in) :: options
    type(c_ptr), intent(out) :: solver

    solver = c_null_ptr
    code = solver_create_in_c(op, options // c_null_char, stream, solver)
  end function

end module
