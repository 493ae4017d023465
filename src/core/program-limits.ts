/** Caps of reading programs: what one ELF file, one function of it and one list of processes may hold or take. */
