internal import CLinux
internal import Glibc

/// C copies of strings in the null-terminated array that exec takes. Frees them when it is destroyed.
@unsafe struct CStringList: ~Copyable {
    private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() {
            unsafe (list + index).initialize(to: strdup(string))
        }
        unsafe (list + strings.count).initialize(to: nil)
        unsafe pointers = list
        unsafe count = strings.count
    }

    deinit {
        for index in unsafe 0..<count { unsafe free(pointers[index]) }
        unsafe pointers.deallocate()
    }

    borrowing func withPointer<Value>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        unsafe body(pointers)
    }
}
