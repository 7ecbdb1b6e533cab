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
        to wrap: (Self) -> Other, _ body: @autoclosure () throws(Self) -> Value
    ) throws(Other) -> Value {
        do throws(Self) {
            return try body()
        } catch {
            throw wrap(error)
        }
    }

    /// Does the same for a `body` that consumes `input`, which no autoclosure can:
    ///
    ///     let file = try DataFileError.mapped(
    ///         to: { LoadError.dataFile(name: name, $0) },
    ///         giving: mapped
    ///     ) { mapped throws(DataFileError) in try RulesFile(mapping: mapped, check: check) }
    @inlinable
    @inline(__always)
    public static func mapped<Input: ~Copyable, Value: ~Copyable, Other: Error>(
        to wrap: (Self) -> Other, giving input: consuming Input,
        _ body: (consuming Input) throws(Self) -> Value
    ) throws(Other) -> Value {
        do throws(Self) {
            return try body(input)
        } catch {
            throw wrap(error)
        }
    }
}
