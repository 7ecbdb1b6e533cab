internal import CLinux
internal import Glibc

/// Several open descriptors with one owner. They are closed together when the last reference goes.
public final class DescriptorList: Sendable {
    /// The descriptors' numbers, valid while this object lives.
    public let numbers: [Int32]

    /// Takes over descriptors that no other code will close.
    public init(takingOwnership numbers: [Int32]) {
        self.numbers = numbers
    }

    deinit {
        for number in numbers { _ = CLinux.close(number) }
    }

    /// Returns a duplicate of the descriptor at `index`, close-on-exec, with its own owner.
    public func duplicate(at index: Int) throws(SystemCallError) -> FileDescriptor {
        let copy = rt_fcntl_int(numbers[index], F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("fcntl") }
        return FileDescriptor(takingOwnership: copy)
    }
}
