/// The values of a subject and of a reference that were measured in pairs, so that other work of the machine affects
/// the subject and the reference alike.
public struct PairedSample: Sendable, Hashable {
    /// The values of the subject, which is judged.
    public let subject: Sample
    /// The values of the reference, with which the subject is compared.
    public let reference: Sample
    /// For each pair, the subject's value divided by the reference's value.
    public let ratios: Sample

    /// Takes the values of both in the order in which they were measured. Returns nil when the lists are empty or have
    /// different lengths, and when a reference value is not positive.
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
