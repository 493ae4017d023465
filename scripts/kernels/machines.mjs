// The processors that a guest can have, by Debian's name for them.
const COMMON = ['-nodefaults', '-no-reboot', '-display', 'none', '-m', '2048', '-smp', '2'];

/**
 * - qemu, package: the emulator, and where it comes from
 * - words: its options; `cpu` is the processor unless the command line names one
 * - console: the serial line of the kernel's messages
 * - results, device: the second serial line, and what qemu calls it
 */
export const GUESTS = {
  amd64: {
    deb: 'amd64',
    qemu: 'qemu-system-x86_64',
    package: 'qemu-system-x86',
    words: COMMON,
    cpu: 'max',
    console: 'ttyS0',
    results: 'ttyS1',
    device: 'isa-serial',
  },
  arm64: {
    deb: 'arm64',
    qemu: 'qemu-system-aarch64',
    package: 'qemu-system-arm',
    words: [...COMMON, '-machine', 'virt'],
    cpu: 'neoverse-n1',
    console: 'ttyAMA0',
    results: 'ttyS0',
    device: 'pci-serial',
  },
};
