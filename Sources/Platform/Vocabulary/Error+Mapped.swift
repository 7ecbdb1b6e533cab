extension Error {
    /// What `body` returns; what it throws is thrown as `wrap` makes of it.
    ///
    /// For a call into a lower floor whose error means something to the caller:
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
