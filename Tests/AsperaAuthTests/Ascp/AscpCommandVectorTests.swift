// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests that aspera-cli's invocations are reproduced: the same arguments in the same order, the same variables, the
/// same list.
final class AscpCommandVectorTests: XCTestCase {
  /// The vectors that are rejected deliberately, with the reason, although aspera-cli accepts them.
  private static let refused: [String: (code: AsperaError.Code, reason: String)] = [
    "password AND passphrase: both map to ASPERA_SCP_PASS, schema order makes the passphrase win": (
      .ambiguousCredential, "both use one variable, and the order of fields must not decide which one wins"
    ),
    "empty token: bypass key still used (key present in hash)": (
      .invalidToken, "an empty token is the issuer's mistake, and authenticates the token account in vain"
    ),
    "wss: port moves to -P, fasp_port and sshfp dropped, CA bundle as -i, no bypass key": (
      .invalidHostKey, "a requested check is not dropped, and the fingerprint of this vector is invalid"
    ),
  ]

  /// The vectors that aspera-cli rejects as well.
  private static let refusedByBoth = ["cipher outside enum is an error": AsperaError.Code.invalidSpecification]

  private func options(_ vector: JSONValue) -> AscpOptions {
    var options = AscpOptions(tokenKeyPath: "<BYPASS_RSA_KEY>")
    options.certificatesPath = "<CA_BUNDLE>"
    options.isQuiet = vector["options"]?["quiet"]?.bool ?? true
    options.usesFileList = vector["options"]?["file_list"]?.bool ?? true
    options.webSocket = vector["options"]?["wss"]?.bool == false ? .whereNeeded : .whereOffered
    return options
  }

  private func check(_ vector: JSONValue, _ specification: TransferSpec, _ options: AscpOptions) throws {
    let name = try XCTUnwrap(vector["name"]?.string)
    let command = try AscpCommand(specification, options: options)
    let expected = try XCTUnwrap(vector["expect"])
    XCTAssertEqual(command.arguments(fileListPath: "<FILE_LIST>"), expected["argv"]?.texts, name)
    let variables = try XCTUnwrap(expected["env"]?.object)
    let environment = command.environment.mapValues { JSONValue.string($0.reveal()) }
    XCTAssertEqual(environment.keys.sorted(), variables.names.sorted(), name)
    for (variable, value) in variables { XCTAssertEqual(environment[variable], value, "\(name): \(variable)") }
    XCTAssertEqual(command.fileList?.lines ?? [], expected["file_list_lines"]?.texts ?? [], name)
  }

  func testEveryInvocationIsReproducedOrRejectedForAReason() throws {
    var seen: Set<String> = []
    let cases = try SpecificationVectors("ascp_invocation").cases()
    XCTAssertEqual(cases.count, 26)
    for vector in cases {
      let name = try XCTUnwrap(vector["name"]?.string)
      let specification = try XCTUnwrap(vector["transfer_spec"]).specification()
      guard let code = Self.refused[name]?.code ?? Self.refusedByBoth[name] else {
        try check(vector, specification, options(vector))
        continue
      }
      seen.insert(name)
      XCTAssertThrowsError(try AscpCommand(specification, options: options(vector)), name) {
        XCTAssertEqual(($0 as? AsperaError)?.code, code, name)
      }
    }
    XCTAssertEqual(seen, Set(Self.refused.keys).union(Self.refusedByBoth.keys), "a rejection without a vector")
  }

  func testWebSocketWithoutTheHostKeyRequiresTheCallersConsent() throws {
    let name = "wss: port moves to -P, fasp_port and sshfp dropped, CA bundle as -i, no bypass key"
    let vector = try XCTUnwrap(SpecificationVectors("ascp_invocation").cases().first { $0["name"]?.string == name })
    var specification = try XCTUnwrap(vector["transfer_spec"]).specification()
    specification.sshfp = String(repeating: "ab", count: 20)
    var options = options(vector)
    XCTAssertThrowsError(try AscpCommand(specification, options: options)) {
      XCTAssertEqual(($0 as? AsperaError)?.code, .invalidHostKey)
    }
    options.givesUpHostKey = true
    try check(vector, specification, options)
  }

  func testArgumentsOfNoVectorContainASecret() throws {
    for vector in try SpecificationVectors("ascp_invocation").cases() {
      let specification = try XCTUnwrap(vector["transfer_spec"]).specification()
      guard let command = try? AscpCommand(specification, options: options(vector)) else { continue }
      for name in ["remote_password", "ssh_private_key", "ssh_private_key_passphrase", "token", "cookie"] {
        guard let secret = specification.fields[name]?.string, !secret.isEmpty else { continue }
        for argument in command.arguments() { XCTAssertFalse(argument.contains(secret), "\(name) in \(argument)") }
      }
    }
  }
}
