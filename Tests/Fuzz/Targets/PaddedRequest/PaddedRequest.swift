internal import FuzzBodies

/// libFuzzer's entry point.
@c(LLVMFuzzerTestOneInput)
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    guard let library = try? PaddedRequestFuzz() else { preconditionFailure("libfcgi does not start") }
    precondition(library.agrees(on: unsafe bytes.span), "libfcgi and the check read different requests")
    return 0
}
