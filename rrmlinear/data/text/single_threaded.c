/* Of glibc 2.32 on. A static libstdc++ looks here for whether it may leave atomics out; with a 0 of our
 * own it never does, and the module runs with any glibc. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
