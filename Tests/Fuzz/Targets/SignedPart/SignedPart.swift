internal import FuzzBodies

/// libFuzzer's entry point.
@c(LLVMFuzzerTestOneInput)
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    NotificationFuzz.part(unsafe bytes.span)
    return 0
}
