#%Module
# SPDX-License-Identifier: BSD-3-Clause
#
# Modulefile of an installed rowhalo, for Environment Modules and for Lmod; its file name is the version.
# `cmake --install` puts it into PREFIX/share/modulefiles/rowhalo, and from there it finds the prefix. If you copy
# it out of the prefix, write the prefix into the line `set prefix`. The modules that rowhalo was built with (MPI,
# CUDA, PETSc) have other names on every site: load them by a depends-on line below.

set version [file tail $ModulesCurrentModulefile]
set prefix ""
if {$prefix eq ""} {
    set prefix [file dirname $ModulesCurrentModulefile]
    while {![file executable $prefix/bin/rowhalo] && $prefix ne "/"} {
        set prefix [file dirname $prefix]
    }
}
if {![file executable $prefix/bin/rowhalo]} {
    error "no folder above $ModulesCurrentModulefile has bin/rowhalo: write the prefix into its line set prefix"
}

proc ModulesHelp {} {
    global version prefix
    puts stderr "rowhalo $version in $prefix: distributed sparse matrix-vector products. See rowhalo --help."
}
module-whatis "rowhalo $version: benchmark of distributed sparse matrix-vector products (SpMV)"
conflict rowhalo

# depends-on openmpi cuda petsc

prepend-path PATH $prefix/bin
prepend-path CMAKE_PREFIX_PATH $prefix
prepend-path PYTHONPATH $prefix/share/rowhalo/python
# Without MANPATH, man finds the pages through PATH.
if {[info exists env(MANPATH)]} {
    prepend-path MANPATH $prefix/share/man
}
setenv ROWHALO_ROOT $prefix
