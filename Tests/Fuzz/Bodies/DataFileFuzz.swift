internal import DataFiles
internal import DataFileWriting
internal import System

/// Has a data file opened in full and only by structure, and once more in full with checksums that fit.
func forEachCheck(of bytes: Span<UInt8>, _ exercise: ([UInt8], DataFileCheck) -> Void) {
    let copy = bytes.copied()
    exercise(copy, .full)
    exercise(copy, .structure)
    exercise(DataFileHeader.resealed(copy), .full)
}
