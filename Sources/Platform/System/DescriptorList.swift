internal import CLinux
internal import Glibc

/// Several open descriptors with one owner; closed together when the last reference goes.
public final class DescriptorList: Sendable {
    /// The numbers, valid while this object lives.
    public let numbers: [Int32]

    /// Takes over descriptors that nobody else will close.
    public init(takingOwnership numbers: [Int32]) {
        self.numbers = numbers
    }

    deinit {
        for number in numbers { _ = CLinux.close(number) }
    }

    /// A descriptor of its own for the entry at `index`, close-on-exec.
    public func duplicate(at index: Int) throws(SystemCallError) -> FileDescriptor {
        let copy = rt_fcntl_int(numbers[index], F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("fcntl") }
        return FileDescriptor(takingOwnership: copy)
    }
}
