/// A field of a `transfer_spec`: what may be in it, and what ascp gets of it.
///
/// The fields are those that IBM publishes: [`spec.schema.yaml`](https://github.com/IBM/aspera-cli/blob/main/lib/aspera/transfer/spec.schema.yaml)
/// of aspera-cli, whose `direct` agent starts ascp, the requests of the Node API for a transfer, and the interface
/// `TransferSpec` of aspera-sdk-js. What the options mean is in IBM's *Ascp command reference*.
struct TransferField: Sendable {
  /// What may be in a field; `null` counts as absent everywhere.
  enum Form: Sendable {
    /// Text without a null character.
    case text
    /// Text in one line.
    case line
    /// Text in one line that is not empty.
    case filledLine
    /// The name of a host or a user: no space, no leading hyphen.
    case name
    /// One of these words.
    case word([String])
    /// One of these words, or a truth value.
    case truthOrWord([String])
    case truth
    case port
    case number(ClosedRange<Int>)
    case fingerprint
    case base64
    case object
    case paths
    /// Anything, because the field is refused whatever is in it.
    case anything
  }

  /// What ascp gets of a field.
  enum Mapping: Sendable {
    /// An option with the value; words that have another spelling for ascp are translated.
    case option(String, words: [String: String] = [:])
    /// An option with the value in Base64; nothing for an empty one.
    case encoded(String)
    /// An option without a value, where the field is true; another one, if there is one, where it is false.
    case flag(String, otherwise: String? = nil)
    /// An environment variable, for secrets; nothing for a blank one.
    case variable(String)
    /// ``AscpCommand`` knows what to do.
    case special
    /// Nothing: the field tells a server, an application or a person something, and changes nothing about the transfer.
    case informational
    /// Nothing, and a transfer without it would be another one: the reason, and what to do instead.
    case refused(String, remedy: String)
  }

  let name: String
  let form: Form
  let mapping: Mapping

  init(_ name: String, _ form: Form, _ mapping: Mapping) {
    self.name = name
    self.form = form
    self.mapping = mapping
  }

  /// The fields that this package knows, in the order of ascp's options.
  static let all = published + requests + synonyms

  private static let names = Set(all.map(\.name))

  /// Whether this package knows a field of that name, byte for byte: no known name has another character than ASCII.
  static func isKnown(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } && names.contains(name) }
}
