internal import CLinux
internal import Glibc

/// C copies of strings in the null-terminated array that exec takes. Frees them when it is destroyed.
@unsafe struct CStringList: ~Copyable {
    private let pointers: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

    init(_ strings: [String]) {
        let list = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(
            capacity: strings.count + 1
        )
        for (index, string) in strings.enumerated() {
            unsafe list.initializeElement(at: index, to: strdup(string))
        }
        unsafe list.initializeElement(at: strings.count, to: nil)
        unsafe pointers = list
    }

    deinit {
        for index in unsafe pointers.indices { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }

    borrowing func withPointer<Value>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Value
    ) -> Value {
        unsafe body(pointers.baseAddress)
    }
}
