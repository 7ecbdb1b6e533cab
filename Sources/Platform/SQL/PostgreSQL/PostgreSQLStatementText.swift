extension SQLText {
    /// The text with `$1`, `$2`, … in place of the question marks, and their number. Question marks in texts between
    /// quotes and in comments stay.
    var numbered: (text: String, count: Int) {
        var text = ""
        var count = 0
        var quote: Character?
        var isComment = false
        var previous: Character = " "
        for character in description {
            if isComment {
                isComment = character != "\n"
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "-", previous == "-" {
                isComment = true
            } else if character == "?" {
                count += 1
                text += "$\(count)"
                previous = character
                continue
            }
            text.append(character)
            previous = character
        }
        return (text, count)
    }
}
