internal import FuzzBodies

/// libFuzzer calls the entry point from one thread only.
nonisolated(unsafe) private let fuzzing = try? NotificationFuzz()

/// libFuzzer's entry point.
@c(LLVMFuzzerTestOneInput)
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    unsafe fuzzing?.body(bytes.span)
    return 0
}
