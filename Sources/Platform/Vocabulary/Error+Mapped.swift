extension Error {
    /// Returns the result of `body`. When `body` throws, throws the error that `wrap` makes of it.
    ///
    /// It is for a call into a lower floor, when the caller gives the error a meaning of its own:
    ///
    ///     let file = try SystemCallError.mapped(
    ///         to: { LoadError.fileUnreadable(name: name, $0) },
    ///         try directory.openEntry(named: name)
    ///     )
    @inlinable
    @inline(__always)
    public static func mapped<Value: ~Copyable, Other: Error>(
        to wrap: (Self) -> Other,
        _ body: @autoclosure () throws(Self) -> Value
    ) throws(Other) -> Value {
        do throws(Self) {
            return try body()
        } catch {
            throw wrap(error)
        }
    }
}
