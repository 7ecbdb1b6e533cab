internal import CBaseline

/// Bare verification in C over the bodies of a file: one EVP_DigestVerify each, with a key that is there already.
@safe final class BareVerification {
    private let payloads: OpaquePointer

    init(bodies: String, leaf: String) throws {
        guard let opened = unsafe baseline_payloads_open(bodies, leaf) else {
            throw Failure("unreadable \(bodies)")
        }
        unsafe payloads = opened
    }

    deinit {
        unsafe baseline_payloads_close(payloads)
    }

    /// Microseconds of processor time for each of `count` verifications from `first` on.
    func microseconds(first: Int, count: Int) throws -> Double {
        let time = unsafe baseline_payloads_verify(payloads, first, count)
        guard time > 0 else { throw Failure("a signature of the baseline is bad") }
        return Double(time) / Double(count) / 1000
    }
}

/// The first request of an unseen chain in C: three certificates parsed, chain checked, signature checked.
@safe final class UnseenChains {
    private let chains: OpaquePointer

    init(bodies: String, root: String) throws {
        guard let opened = unsafe baseline_chains_open(bodies, root) else {
            throw Failure("unreadable \(bodies)")
        }
        unsafe chains = opened
    }

    deinit {
        unsafe baseline_chains_close(chains)
    }

    /// Microseconds of processor time for each of `count` bodies from `first` on.
    func microseconds(first: Int, count: Int) throws -> Double {
        let time = unsafe baseline_chains_verify(chains, first, count)
        guard time > 0 else { throw Failure("a chain of the baseline is bad") }
        return Double(time) / Double(count) / 1000
    }
}

/// Bare signing in C: one EVP_DigestSign each, with a key that is there already.
@safe final class BareSignature {
    private let signer: OpaquePointer

    init(key: String) throws {
        guard let opened = unsafe baseline_signer_open(key) else { throw Failure("unreadable \(key)") }
        unsafe signer = opened
    }

    deinit {
        unsafe baseline_signer_close(signer)
    }

    /// Microseconds of processor time for each of `count` signatures over so many bytes.
    func microseconds(byteCount: Int, count: Int) throws -> Double {
        let time = unsafe baseline_signer_sign(signer, byteCount, count)
        guard time > 0 else { throw Failure("the baseline cannot sign") }
        return Double(time) / Double(count) / 1000
    }
}
