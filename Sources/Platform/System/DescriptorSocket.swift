internal import CLinux
internal import Glibc

/// One end of a unix socket that keeps message boundaries (SOCK_SEQPACKET) and carries descriptors.
public struct DescriptorSocket: ~Copyable, Sendable {
    /// The descriptor. It is readable when a message waits or the other end is gone.
    public let descriptor: FileDescriptor
    /// The largest number of descriptors in one message.
    public static let descriptorsPerMessage = Int(RT_DESCRIPTORS_PER_MESSAGE)

    /// A received message.
    public struct Message: Sendable {
        /// The bytes. When there are no bytes and no descriptors, the other end is gone.
        public let bytes: [UInt8]
        /// The descriptors that came with the message, close-on-exec.
        public let descriptors: DescriptorList
    }

    /// Takes over a connected socket.
    public init(takingOwnership descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Returns two connected ends, close-on-exec.
    public static func pair() throws(SystemCallError) -> DescriptorSocketPair {
        var numbers: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw .last("socketpair") }
        return DescriptorSocketPair(
            ours: DescriptorSocket(takingOwnership: FileDescriptor(takingOwnership: numbers[0])),
            theirs: DescriptorSocket(takingOwnership: FileDescriptor(takingOwnership: numbers[1])))
    }

    /// Sends one message with descriptors. The call waits for the other end only when `waiting` is true.
    ///
    /// - Throws: `message.too-many-descriptors` for more than ``descriptorsPerMessage`` descriptors, `system.eagain` when the other
    ///   end does not keep up, `system.epipe` when it is gone.
    public borrowing func send(_ bytes: Span<UInt8>, descriptors: [Int32] = [], waiting: Bool = false)
        throws(SystemCallError)
    {
        guard descriptors.count <= Self.descriptorsPerMessage else {
            throw .found(.tooManyDescriptors(limit: Self.descriptorsPerMessage))
        }
        let number = descriptor.number
        try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            _ = try retrying("sendmsg") {
                unsafe rt_send_descriptors(
                    number, block.baseAddress, block.count, descriptors, descriptors.count,
                    waiting ? 0 : Int32(MSG_DONTWAIT))
            }
        }
    }

    /// Receives one message of at most `capacityBytes`. Returns nil when no message waits and `waiting` is false.
    ///
    /// - Throws: `message.too-long` for a larger message, else the errno of `recvmsg`.
    public borrowing func receive(capacityBytes: Int, waiting: Bool = false) throws(SystemCallError)
        -> Message?
    {
        var bytes = [UInt8](repeating: 0, count: capacityBytes)
        var numbers = [Int32](repeating: -1, count: Self.descriptorsPerMessage)
        var count = 0
        var isTruncated: Int32 = 0
        let number = descriptor.number
        let flags = waiting ? 0 : Int32(MSG_DONTWAIT)
        let received: Int
        do throws(SystemCallError) {
            received = try retrying("recvmsg") {
                unsafe rt_receive_descriptors(
                    number, &bytes, capacityBytes, &numbers, &count, &isTruncated, flags)
            }
        } catch {
            if error.reason == .eagain { return nil }
            throw error
        }
        let descriptors = DescriptorList(takingOwnership: Array(numbers.prefix(count)))
        guard isTruncated == 0 else { throw .found(.messageTooLong) }
        return Message(bytes: Array(bytes.prefix(received)), descriptors: descriptors)
    }
}

/// A pair of connected descriptor sockets.
public struct DescriptorSocketPair: ~Copyable, Sendable {
    /// The end that this process keeps.
    public let ours: DescriptorSocket
    /// The end that is given to another process.
    public let theirs: DescriptorSocket

    /// Returns the end that this process keeps, and closes the other.
    public consuming func keepOurs() -> DescriptorSocket { ours }
}
