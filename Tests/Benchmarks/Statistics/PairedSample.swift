/// Two things measured side by side, pair after pair, so that whatever else the machine does hits both.
public struct PairedSample: Sendable, Hashable {
    /// The values of what is judged.
    public let subject: Sample
    /// The values of what it is held against.
    public let reference: Sample
    /// For each pair, subject over reference.
    public let ratios: Sample

    /// Takes the values of both in the order in which they were measured; nil for none, for lists of different length
    /// and for a reference that is not positive.
    public init?(subject: [Double], reference: [Double]) {
        guard subject.count == reference.count, reference.allSatisfy({ $0 > 0 }),
            let subjectSample = Sample(subject),
            let referenceSample = Sample(reference),
            let ratios = Sample(zip(subject, reference).map { $0 / $1 })
        else { return nil }
        self.subject = subjectSample
        self.reference = referenceSample
        self.ratios = ratios
    }
}
