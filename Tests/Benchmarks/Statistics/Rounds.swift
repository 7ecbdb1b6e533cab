/// Measures several things in turn, round after round.
public enum Rounds {
    /// Calls each of `measurements` once in each round. Each round begins with another measurement, so that no
    /// measurement always finds the machine in the state in which the same other measurement left it.
    ///
    /// The errors are untyped, because with a generic error type the error that a closure in an array threw was lost
    /// (Swift 6.3.1).
    ///
    /// - Returns: the values of each measurement, in the order of the rounds.
    public static func measure(_ count: Int, _ measurements: [() throws -> Double]) throws -> [[Double]] {
        var values = [[Double]](repeating: [], count: measurements.count)
        for round in 0..<count {
            for place in measurements.indices {
                let index = (round + place) % measurements.count
                values[index].append(try measurements[index]())
            }
        }
        return values
    }
}
