internal import FuzzBodies

/// One thread runs everything.
nonisolated(unsafe) private let fuzzing = try? SimulatorFuzz()

/// libFuzzer's entry point.
@c(LLVMFuzzerTestOneInput)
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    let isFine = unsafe fuzzing?.input(bytes.span)
    precondition(isFine == true, "the simulator takes what it must not take")
    return 0
}
