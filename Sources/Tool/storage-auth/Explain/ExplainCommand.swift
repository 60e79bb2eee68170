// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth
internal import StorageDiagnosis

struct ExplainCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explains why a service rejected a signature: the line that differs.",
    usage: "storage-auth explain <method> <url> [<options>]",
    discussion: """
      Examples:
        storage-auth explain PUT https://photos.oss-cn-hangzhou.aliyuncs.com/a \\
          -H "Date: …" -H "Authorization: …" < answer.xml

      Pass the request as it was sent, and the response: its document, the output of curl -i, or the string to sign. \
      With the key of the request in the default sources, it also finds what was signed. Exits with status 1 if the \
      response is not about the signature.
      """)

  @OptionGroup var options: RequestOptions
  @Option(help: .text("The file with the response; standard input by default.", value: "file")) var answer = "-"
  @Option(help: "The HTTP status of the response, in place of the one in the file.") var status: Int?

  @Option(help: .text("A file with the string to sign of the program that signed.", value: "file"))
  var stringToSign: String?

  @Option(help: .text("A file with that program's canonical request or HttpString.", value: "file"))
  var canonicalRequest: String?

  @OptionGroup(title: "Keys and network") var credentials: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    let files = [options.requestFile, answer, stringToSign, canonicalRequest]
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("Standard input can be one of the files only: name the file of the response with --answer.")
    }
  }

  func run() async throws {
    let request = try options.sentRequest()
    var response = RejectedResponse(try InputFile.text(answer))
    if let status { response.status = status }
    let (diagnosis, basis, missingKey) = try await diagnosis(of: response, to: request)
    guard let diagnosis else {
      let message = "The response is not about the signature, or is not a response of the service."
      if output.json { Terminal.printJSONError(message) } else { Terminal.printErrorLines(message) }
      throw ExitCode.failure
    }
    let needs = diagnosis.cause == .unknown ? missingKey : nil
    guard output.json else {
      return Terminal.printLines(diagnosis.description + (needs.map { "\nneeds   \($0)" } ?? ""))
    }
    var object = diagnosis.json
    object["basis"] = .string(basis.rawValue)
    object["needs"] = .text(needs)
    Terminal.printJSON(.object(object))
  }

  /// Compares the strings of the options with those of the response, or without them searches for what was signed.
  private func diagnosis(
    of response: RejectedResponse, to request: HTTPRequest
  ) async throws -> (SignatureDiagnosis?, RejectionReport.Basis, missingKey: String?) {
    let cloud = try options.cloud(of: request)
    let address = try options.addressing.address(of: request, in: cloud)
    let region = options.region(of: request, in: cloud)
    let service = cloud.signedService(region: region, address)
    guard stringToSign == nil, canonicalRequest == nil else {
      let diagnosis = SignatureDiagnosis(
        of: response, to: request, signedFor: service, stringToSign: try stringToSign.map { try signedText($0, cloud) },
        canonicalRequest: try canonicalRequest.map { try signedText($0, cloud) })
      return (diagnosis, .stated, nil)
    }
    var keySearch: KeySearch?
    if RejectionReport.concernsMismatch(response, of: service) {
      let verifier = cloud.verifier(region: region, address, isStrict: false)
      keySearch = await KeySearch(for: request, cloud, signedFor: service, verifier: verifier, credentials)
    }
    let report = RejectionReport(
      of: response, to: request, signedFor: service, region: options.region, search: keySearch?.search)
    return (report.diagnosis, report.basis, keySearch?.missingKey)
  }

  /// Reads a signed string from a file, without the line feed that editors append unless the cloud's strings have one.
  private func signedText(_ path: String, _ cloud: any Cloud) throws -> String {
    let text = try InputFile.text(path)
    if cloud.signedTextsEndWithLineFeed { return text }
    return text.removingByteSuffix("\n").map(String.init) ?? text
  }
}

extension SignatureDiagnosis {
  var json: JSONObject {
    [
      "cause": .string(cause.rawValue), "line": .text(line), "sent": .text(sent), "seen": .text(received),
      "explanation": .string(explanation), "remedy": .string(remedy),
      "otherLines": .array(otherLines.map { .string($0) }),
    ]
  }
}

/// The search for what a client signed, if the default sources have the key of the request.
struct KeySearch {
  let search: SignatureSearch?
  let missingKey: String?

  init(
    for request: HTTPRequest, _ cloud: any Cloud, signedFor service: SignedService,
    verifier: some SignatureVerifier, _ credentials: CredentialOptions
  ) async {
    guard let claim = SignatureSearch.claim(in: request, signedFor: service) else {
      (search, missingKey) = (nil, nil)
      return
    }
    var credentials = credentials
    // A metadata service issues temporary keys only.
    if claim.isTemporary == false { credentials.skipsMetadata = true }
    let reason: String
    do {
      let key = try await credentials.cache(for: cloud).credential()
      search = SignatureSearch(for: request, signedFor: service, verifier: verifier, key: key)
      reason = "the default sources have another key."
    } catch let error as CredentialError where error.code != .notConfigured {
      (search, reason) = (nil, "the default sources failed: \(error.message)")
    } catch {
      (search, reason) = (nil, "the default sources have no key.")
    }
    let description =
      "The key \(claim.id.string.onOneLine), with which the cause can be found: \(reason) "
      + "`storage-auth credentials --provider \(cloud.name)` shows where they look."
    missingKey = search == nil ? description : nil
  }
}
