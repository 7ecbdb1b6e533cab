public import System

/// How a worker ended that should not have ended. The raw value is the label in the metrics.
///
/// The order of the cases is the order in shared memory, as with ``Counter``.
public enum LostWorker: String, Sendable, Hashable, CaseIterable {
    /// Ended by a memory access that the hardware refused.
    case segmentationFault = "SIGSEGV"
    /// Ended by an access to memory behind which the file is gone.
    case busError = "SIGBUS"
    /// Ended by a check of Swift's, on x86-64.
    case illegalInstruction = "SIGILL"
    /// Ended by a check of Swift's, on arm64.
    case trap = "SIGTRAP"
    /// Ended by a check of a C library.
    case abort = "SIGABRT"
    /// Ended by the kernel because memory was short, by the supervisor because the worker did not react, or by a
    /// person.
    case kill = "SIGKILL"
    /// Ended by another signal.
    case otherSignal = "other"
    /// Exited by itself, or did not become ready in time.
    case none

    public init(_ exit: ChildExit) {
        guard case .signalled(let number) = exit else {
            self = .none
            return
        }
        self =
            switch number {
            case 4: .illegalInstruction
            case 5: .trap
            case 6: .abort
            case 7: .busError
            case 9: .kill
            case 11: .segmentationFault
            default: .otherSignal
            }
    }
}
