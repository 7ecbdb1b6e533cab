/// Two things measured side by side, pair after pair, so that whatever else the machine does hits both.
public struct PairedSample: Sendable, Hashable {
    /// The values of what is judged.
    public let subject: Sample
    /// The values of what it is held against.
    public let reference: Sample
    /// For each pair, subject over reference.
    public let ratios: Sample

    /// Takes the pairs in the order in which they were measured; nil for none and for a reference that is not positive.
    public init?(_ pairs: [(subject: Double, reference: Double)]) {
        guard pairs.allSatisfy({ $0.reference > 0 }), let subject = Sample(pairs.map(\.subject)),
            let reference = Sample(pairs.map(\.reference)),
            let ratios = Sample(pairs.map { $0.subject / $0.reference })
        else { return nil }
        self.subject = subject
        self.reference = reference
        self.ratios = ratios
    }

    /// Measures `count` pairs, in turn the subject first and the reference first, so that neither always finds the
    /// machine as the other left it.
    public static func measure<Failure: Error>(
        pairs count: Int,
        subject: () throws(Failure) -> Double,
        reference: () throws(Failure) -> Double
    ) throws(Failure) -> PairedSample? {
        var pairs: [(subject: Double, reference: Double)] = []
        for index in 0..<count {
            if index.isMultiple(of: 2) {
                let value = try subject()
                pairs.append((value, try reference()))
            } else {
                let value = try reference()
                pairs.append((try subject(), value))
            }
        }
        return PairedSample(pairs)
    }
}
