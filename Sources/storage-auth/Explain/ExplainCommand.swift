internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth
internal import StorageDiagnosis
internal import StorageJSON

/// The command `storage-auth explain`, which explains why a service rejected a signature.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Says why a service refused a signature: which line differs, what was sent, what it saw.",
    discussion: """
      Give the request as it was sent, with its Authorization, and the answer: the document, the output of curl -i, or the \
      string to sign alone. Session tokens are masked.

      Example: storage-auth explain GET https://photos.oss-cn-hangzhou.aliyuncs.com/a -H "Authorization: …" < answer.xml

      Ends with status 0 if a cause was found, with 1 if the answer is not about the signature.
      """)

  @OptionGroup var options: RequestOptions

  @Option(help: ArgumentHelp("The file with the answer; standard input if not given.", valueName: "file"))
  var answer: String = "-"

  @Option(help: "The status of the answer, where it is not in the file.")
  var status: Int?

  @Option(
    help: ArgumentHelp(
      "A file with the string to sign of the program that signed, where it shows it.", valueName: "file"))
  var stringToSign: String?

  @Option(help: ArgumentHelp("A file with its canonical request, or HttpString.", valueName: "file"))
  var canonicalRequest: String?

  @Flag(help: "Answer with a line of JSON.")
  var json = false

  func run() throws {
    let request = try options.sent()
    var answer = RefusedAnswer(try InputFile(answer).text())
    if let status { answer.status = status }
    let cloud = try options.cloud(of: request)
    let diagnosis = SignatureDiagnosis(
      of: answer, to: request, signedFor: cloud.service(of: request, options),
      stringToSign: try stringToSign.map { try signedText($0, cloud) },
      canonicalRequest: try canonicalRequest.map { try signedText($0, cloud) })
    guard let diagnosis else {
      Terminal.note("The answer is not about the signature, or is no answer of the service.")
      throw ExitCode.failure
    }
    if json {
      Terminal.json(String(decoding: diagnosis.json.serialized, as: UTF8.self))
    } else {
      Terminal.lines(diagnosis.description)
    }
  }

  /// Reads a signed text from a file, without the line feed that editors append to a file.
  private func signedText(_ path: String, _ cloud: any Cloud) throws -> String {
    let text = try InputFile(path).text()
    if cloud.signedTextsEndWithLineFeed { return text }
    return text.removingByteSuffix("\n").map(String.init) ?? text
  }
}

extension SignatureDiagnosis {
  /// The diagnosis as a JSON object.
  fileprivate var json: JSONValue {
    [
      "cause": .string(cause.rawValue), "line": line.map { .string($0) } ?? .null,
      "sent": sent.map { .string($0) } ?? .null,
      "seen": seen.map { .string($0) } ?? .null, "explanation": .string(explanation), "remedy": .string(remedy),
      "otherLines": .array(otherLines.map { .string($0) }),
    ]
  }
}
