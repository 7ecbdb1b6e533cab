internal import Facts
internal import System

/// Calls `exercise` three times: to open the bytes as a data file with the full check, with the check of the structure
/// alone, and with the full check after all checksums have been made right.
func forEachCheck(of bytes: Span<UInt8>, _ exercise: ([UInt8], DataFileCheck) -> Void) {
    let copy = bytes.copied()
    exercise(copy, .full)
    exercise(copy, .structure)
    exercise(DataFileHeader.resealed(copy), .full)
}
