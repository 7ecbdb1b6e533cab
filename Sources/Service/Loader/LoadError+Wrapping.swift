internal import System

extension LoadError {
    /// What `body` returns; a failed system call is thrown as what `wrap` makes of it.
    static func wrapping<Value: ~Copyable>(
        _ wrap: (SystemCallError) -> LoadError,
        _ body: () throws(SystemCallError) -> Value
    ) throws(LoadError) -> Value {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw wrap(error)
        }
    }
}
