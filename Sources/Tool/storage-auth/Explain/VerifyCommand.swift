// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageClient

struct VerifyCommand: AsyncParsableCommand, ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Verifies the signature of a request, with the key of the default sources.",
    usage: "storage-auth verify [<method>] <url> [<options>]",
    discussion: """
      Examples:
        storage-auth verify "$(storage-auth presign oss://photos/a)"
        storage-auth verify GET https://photos.oss-cn-hangzhou.aliyuncs.com/a \\
          -H "Date: …" -H "Authorization: …"

      Pass the request as it arrived, with its Authorization header or as a presigned URL. A failure is explained: if \
      the signature does not match, by the change of the request or of the secret that explains it.

      Exits with status 0 if the signature is valid, and with 1 otherwise.
      """)

  @OptionGroup var options: RequestOptions
  @Flag(help: "Require what the strict mode of COS requires to be signed.") var strict = false

  @Option(help: "The time of verification, in seconds since 1970 or as 2026-11-20T08:00:00Z.")
  var date: TimestampArgument?

  @Flag(help: "Print the canonical request and the string to sign of a mismatch.") var explain = false
  @OptionGroup(title: "Keys and network") var credentials: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run() async throws {
    let request = try options.sentRequest()
    let cloud = try options.cloud(of: request)
    let address = try options.addressing.address(of: request, in: cloud)
    let region = options.region(of: request, in: cloud)
    let verifier = cloud.verifier(region: region, address, isStrict: strict)
    let key = try await credentials.cache(for: cloud).credential()
    do {
      let verified = try await verifier.verify(request, at: date?.timestamp ?? .now) { $0 == key.id ? key : nil }
      if output.json { Terminal.printJSON(verified.json) } else { Terminal.printLines(verified.text) }
    } catch let error as VerificationError {
      let service = cloud.signedService(region: region, address)
      var diagnosis: SignatureDiagnosis?
      if error.code == .mismatch,
        let search = SignatureSearch(for: request, signedFor: service, verifier: verifier, key: key)
      {
        diagnosis = RejectionReport(ofMismatch: request, signedFor: service, search: search).diagnosis
      }
      printRefusal(error, diagnosis)
      throw ExitCode.failure
    }
  }

  private func printRefusal(_ error: VerificationError, _ diagnosis: SignatureDiagnosis?) {
    guard !output.json else {
      var object = error.json(explained: explain)
      object["diagnosis"] = diagnosis.map { .object($0.json) } ?? .null
      return Terminal.printJSON(.object(object))
    }
    Terminal.printLine("refused  \(error.description)")
    if let diagnosis { Terminal.printLines(diagnosis.description) }
    guard explain, let comparison = error.comparison else { return }
    Terminal.printSignedStrings(canonicalRequest: comparison.canonicalRequest, stringToSign: comparison.stringToSign)
  }
}

extension VerifiedRequest {
  fileprivate var text: String {
    var lines = [
      "verified", "id        \(accessKeyID)", "in        \(placement == .header ? "the headers" : "the URL")",
    ]
    if let bucket = target.bucket { lines.append("bucket    \(DisplayText(bucket.string))") }
    if let key = target.key { lines.append("key       \(DisplayText(key.string))") }
    if let expiration { lines.append("until     \(expiration)") }
    for parameter in target.parameters { lines.append("signed    \(parameter)") }
    for parameter in unsignedParameters { lines.append("unsigned  \(parameter)") }
    if !signedHeaders.isEmpty { lines.append("headers   \(signedHeaders.sorted().joined(separator: " "))") }
    return lines.joined(separator: "\n")
  }

  fileprivate var json: JSONValue {
    [
      "verified": true, "id": .string(accessKeyID.string), "placement": placement == .header ? "headers" : "url",
      "bucket": .text(target.bucket?.string), "key": .text(target.key?.string),
      "expiration": .text(expiration?.iso8601), "signedParameters": .array(target.parameters.map { .string("\($0)") }),
      "unsignedParameters": .array(unsignedParameters.map { .string("\($0)") }),
      "signedHeaders": .array(signedHeaders.sorted().map { .string($0) }),
    ]
  }
}

extension VerificationError {
  fileprivate func json(explained: Bool) -> JSONObject {
    var object: JSONObject = [
      "verified": false, "code": .string("\(code)"), "message": .string(message), "remedy": .string(remedy),
    ]
    if explained, let comparison {
      object["canonicalRequest"] = .text(comparison.canonicalRequest)
      object["stringToSign"] = .string(comparison.stringToSign)
    }
    return object
  }
}
