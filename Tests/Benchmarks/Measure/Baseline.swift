internal import CBaseline

/// Verifies the bodies of a file in C: one EVP_DigestVerify for each body, with a key that is already loaded.
@safe final class BareVerification {
    private let payloads: OpaquePointer

    init(bodies: String, leaf: String) throws {
        guard let opened = unsafe baseline_payloads_open(bodies, leaf) else {
            throw Failure("cannot read \(bodies)")
        }
        unsafe payloads = opened
    }

    deinit {
        unsafe baseline_payloads_close(payloads)
    }

    /// Returns the microseconds of processor time for each of `count` verifications from `first` on.
    func microseconds(first: Int, count: Int) throws -> Double {
        let time = unsafe baseline_payloads_verify(payloads, first, count)
        guard time > 0 else { throw Failure("a signature of the baseline is bad") }
        return Double(time) / Double(count) / 1000
    }
}

/// Verifies the first request of each unseen chain in C: parses three certificates, checks the chain and the signature.
@safe final class UnseenChains {
    private let chains: OpaquePointer

    init(bodies: String, root: String) throws {
        guard let opened = unsafe baseline_chains_open(bodies, root) else {
            throw Failure("cannot read \(bodies)")
        }
        unsafe chains = opened
    }

    deinit {
        unsafe baseline_chains_close(chains)
    }

    /// Returns the microseconds of processor time for each of `count` bodies from `first` on.
    func microseconds(first: Int, count: Int) throws -> Double {
        let time = unsafe baseline_chains_verify(chains, first, count)
        guard time > 0 else { throw Failure("a chain of the baseline is bad") }
        return Double(time) / Double(count) / 1000
    }
}

/// Inserts bodies in C: one prepared INSERT of the bytes for each body.
@safe final class BareInsertion {
    private let inserter: OpaquePointer

    init(path: String) throws {
        guard let opened = unsafe baseline_inserter_open(path) else { throw Failure("cannot make \(path)") }
        unsafe inserter = opened
    }

    deinit {
        unsafe baseline_inserter_close(inserter)
    }

    /// Returns the microseconds of processor time for all bodies, which are inserted in one transaction.
    func microseconds(_ bodies: [[UInt8]]) throws -> Double {
        let all = bodies.flatMap(\.self)
        let lengths = bodies.map(\.count)
        let time = unsafe all.withUnsafeBufferPointer { block in
            var place = 0
            let starts = unsafe lengths.map { length -> UnsafePointer<UInt8>? in
                defer { place += length }
                return unsafe block.baseAddress.map { unsafe $0 + place }
            }
            return unsafe baseline_inserter_insert(inserter, starts, lengths, lengths.count)
        }
        guard time > 0 else { throw Failure("the baseline cannot insert") }
        return Double(time) / 1000
    }
}
