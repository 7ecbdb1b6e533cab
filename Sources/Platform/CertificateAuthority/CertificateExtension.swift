internal import System

package struct CertificateExtension: Sendable {
    package var identifier: String
    /// True when a verifier that does not understand the extension must refuse the certificate.
    package var isCritical: Bool
    package var value: [UInt8]

    package init(_ identifier: String, isCritical: Bool = false, value: [UInt8]) {
        self.identifier = identifier
        self.isCritical = isCritical
        self.value = value
    }

    /// `pathLength` nil allows any number of intermediate authorities below.
    package static func basicConstraints(isCA: Bool, pathLength: Int64? = nil, isCritical: Bool = true)
        -> Self
    {
        var contents = isCA ? DER.boolean(true) : []
        if let pathLength { contents += DER.integer(pathLength) }
        return Self("2.5.29.19", isCritical: isCritical, value: DER.value(0x30, contents))
    }

    package static func keyUsage(_ usage: KeyUsage, isCritical: Bool = true) -> Self {
        // Bit 0 of the BIT STRING is the most significant bit of its first byte; DER drops trailing zero bits.
        let unused = usage.rawValue == 0 ? 0 : UInt8(usage.rawValue.trailingZeroBitCount)
        let bits = DER.bitString(usage.rawValue == 0 ? [] : [usage.rawValue], unusedBits: unused)
        return Self("2.5.29.15", isCritical: isCritical, value: bits)
    }

    package static func extendedKeyUsage(_ purposes: [String], isCritical: Bool = false) -> Self {
        let contents = purposes.flatMap { DER.objectIdentifier($0) }
        return Self("2.5.29.37", isCritical: isCritical, value: DER.value(0x30, contents))
    }

    package static func subjectKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self("2.5.29.14", value: DER.octetString(identifier))
    }

    package static func authorityKeyIdentifier(_ identifier: [UInt8]) -> Self {
        Self("2.5.29.35", value: DER.sequence(DER.value(0x80, identifier)))
    }

    /// `addresses` have four or sixteen bytes.
    package static func subjectAlternativeName(hosts: [String], addresses: [[UInt8]] = []) -> Self {
        let names = hosts.flatMap { DER.value(0x82, Array($0.utf8)) }
        let numbers = addresses.flatMap { DER.value(0x87, $0) }
        return Self("2.5.29.17", value: DER.value(0x30, names + numbers))
    }

    package static func authorityInformationAccess(issuer: String? = nil, responder: String? = nil) -> Self {
        let places = [("1.3.6.1.5.5.7.48.2", issuer), ("1.3.6.1.5.5.7.48.1", responder)]
        let descriptions = places.compactMap { method, url in
            url.map { DER.sequence(DER.objectIdentifier(method), DER.value(0x86, Array($0.utf8))) }
        }
        return Self("1.3.6.1.5.5.7.1.1", value: DER.value(0x30, descriptions.flatMap { $0 }))
    }

    package static func revocationList(_ url: String) -> Self {
        let name = DER.value(0xA0, DER.value(0xA0, DER.value(0x86, Array(url.utf8))))
        return Self("2.5.29.31", value: DER.sequence(DER.sequence(name)))
    }

    /// `notice` is for people, `statement` the URL of the practice statement.
    package static func certificatePolicy(_ identifier: String, notice: String, statement: String) -> Self {
        let qualifiers = DER.sequence(
            DER.sequence(
                DER.objectIdentifier("1.3.6.1.5.5.7.2.2"), DER.sequence(DER.value(0x0C, Array(notice.utf8)))),
            DER.sequence(DER.objectIdentifier("1.3.6.1.5.5.7.2.1"), DER.value(0x16, Array(statement.utf8))))
        let policy = DER.sequence(DER.objectIdentifier(identifier), qualifiers)
        return Self("2.5.29.32", value: DER.sequence(policy))
    }

    /// As Apple's markers: the value is NULL, and only its presence has a meaning.
    package static func marker(_ identifier: String, isCritical: Bool = false) -> Self {
        Self(identifier, isCritical: isCritical, value: DER.null)
    }
}

/// The bits of keyUsage that are used here. Their values are those in the first byte of the BIT STRING.
package struct KeyUsage: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let digitalSignature = KeyUsage(rawValue: 0x80)
    package static let certificateSigning = KeyUsage(rawValue: 0x04)
    package static let revocationListSigning = KeyUsage(rawValue: 0x02)
}

/// Writes ASN.1 values in DER (X.690), for tests and test authorities only. It does not read: OpenSSL reads the DER that
/// comes from outside.
package enum DER {
    package static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [tag] + length(contents.count) + contents
    }

    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { value(0x30, elements.flatMap { $0 }) }

    /// The caller must sort the elements.
    package static func set(_ elements: [UInt8]...) -> [UInt8] { value(0x31, elements.flatMap { $0 }) }

    package static func boolean(_ isTrue: Bool) -> [UInt8] { [0x01, 0x01, isTrue ? 0xFF : 0x00] }

    /// The shortest form of a number in two's complement, most significant byte first.
    package static func integer(_ bytes: [UInt8]) -> [UInt8] {
        var contents = bytes.isEmpty ? [0] : bytes
        while contents.count > 1,
            contents[0] == 0 && contents[1] < 0x80 || contents[0] == 0xFF && contents[1] >= 0x80
        {
            contents.removeFirst()
        }
        return value(0x02, contents)
    }

    package static func integer(_ number: Int64) -> [UInt8] {
        integer((0..<8).map { UInt8(truncatingIfNeeded: number >> Int64(56 - 8 * $0)) })
    }

    package static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] {
        value(0x03, [unusedBits] + bytes)
    }

    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }

    package static let null: [UInt8] = [0x05, 0x00]

    /// A text that is not dotted numbers gives an identifier that nobody uses.
    package static func objectIdentifier(_ dotted: String) -> [UInt8] {
        let arcs = dotted.split(separator: ".").map { UInt64($0) ?? 0 }
        guard arcs.count >= 2 else { return value(0x06, [0]) }
        var contents = base128(arcs[0] * 40 + arcs[1])
        for arc in arcs.dropFirst(2) { contents += base128(arc) }
        return value(0x06, contents)
    }

    /// RFC 5280 section 4.1.2.5: UTCTime from 1950 through 2049, GeneralizedTime in other years.
    package static func time(milliseconds: Int64) -> [UInt8] {
        let time = CivilTime(milliseconds: milliseconds)
        guard (1950...2049).contains(time.year) else { return value(0x18, Array(time.generalizedTime.utf8)) }
        return value(0x17, Array(time.generalizedTime.dropFirst(2).utf8))
    }

    private static func base128(_ number: UInt64) -> [UInt8] {
        var bytes = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        if count < 0x100 { return [0x81, UInt8(count)] }
        if count < 0x10000 { return [0x82, UInt8(count >> 8), UInt8(count & 0xFF)] }
        return [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    }
}
