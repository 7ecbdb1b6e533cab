internal import FuzzBodies

/// libFuzzer's entry point.
@c(LLVMFuzzerTestOneInput)
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    guard let library = try? PaddedRequestFuzz() else { preconditionFailure("libfcgi does not start") }
    precondition(library.agrees(on: unsafe bytes.span), "libfcgi sees another request than the check")
    return 0
}
