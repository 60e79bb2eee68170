// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests which additional arguments for ascp are permitted.
final class AscpArgumentsTests: XCTestCase {
  private func words(_ arguments: [String]) throws -> [String] {
    var spec = TransferSpec(.send, [TransferPath("/a")], destinationRoot: "/")
    spec.remoteHost = "aspera.example.com"
    spec.remoteUser = "mia"
    spec.remotePassword = Secret("correct horse")
    let bare = try AscpCommand(spec).arguments(fileListPath: "L")
    var options = AscpOptions()
    options.additional = try AscpArguments(arguments)
    let all = try AscpCommand(spec, options: options).arguments(fileListPath: "L")
    let place = try XCTUnwrap(bare.firstIndex(of: "--dest64")) + 1
    XCTAssertEqual(Array(all.prefix(place) + all.suffix(2)), bare)
    return Array(all.dropFirst(place).dropLast(2))
  }

  func testPermittedArgumentsFollowThoseOfTheSpecification() throws {
    XCTAssertEqual(
      try words(["-l", "100m", "-m0", "--overwrite=never", "--policy", "fair", "-p", "-k2", "-E", "*.tmp", "-N=x"]),
      ["-l", "100m", "-m", "0", "--overwrite", "never", "--policy", "fair", "-p", "-k", "2", "-E", "*.tmp", "-N", "=x"])
    XCTAssertEqual(try words(["-E", "-W"]), ["-E", "-W"], "a pattern can begin with a hyphen")
    XCTAssertEqual(try words([]), [])
  }

  func testOptionsThatShowSecretsOrWriteElsewhereAreRefused() throws {
    let refused = [
      "-W", "-Wsecret-token", "-i", "-i/key", "-L", "-L/tmp", "-R", "-M", "-M1", "-D", "-DD", "-f", "-S", "-SSH", "-T",
      "-O", "-P", "-C1:2", "-I", "-Y", "-y", "-t", "-c", "-@", "-A", "-q", "-v", "-", "--", "--user", "--user=root",
      "--host=h", "--mode=recv", "--file-manifest=text", "--file-manifest-path=/tmp", "--file-list=/etc/passwd",
      "--file-pair-list", "--move-after-transfer=/tmp", "--remove-after-transfer", "--delete-before-transfer",
      "--check-sshfp", "--ignore-host-key", "--tags", "--tags64", "--proxy", "--ssh-arg", "--dest64", "--keepalive",
      "--file-crypt", "--file-crypt=encrypt", "--ws-connect", "--apply-local-docroot", "--src-base", "--source-prefix",
      "secret-token", "", " -l", "-l=1 ", "--Overwrite=never", "--over=never", "--policy\u{301}", "-é",
    ]
    for argument in refused {
      XCTAssertThrowsError(try AscpArguments([argument, "100"]), argument) { error in
        guard let error = error as? AsperaError else { return XCTFail("\(error)") }
        XCTAssertTrue([.unsupported, .invalidSpecification].contains(error.code), argument)
        XCTAssertFalse("\(error)".contains("secret-token"), "\(error)")
        XCTAssertTrue(error.code != .unsupported || error.remedy.contains("--overwrite"), error.remedy)
      }
    }
    XCTAssertThrowsError(try AscpArguments(["-W", "x"])) { XCTAssertTrue("\($0)".contains("-W"), "\($0)") }
  }

  func testInvalidValuesAreRefused() throws {
    let values = [
      ["-l"], ["-l", ""], ["-l", "-1"], ["-l", "1.5"], ["-l", "10mb"], ["-l", "Kk"], ["-l", "1\u{212A}"], ["-Z", "1k"],
      ["-k", "4"], ["--overwrite", "sometimes"], ["--overwrite="], ["--policy", "FAIR"], ["-E", ""], ["-E", "a\nb"],
      ["-E"], ["-p1"], ["--skip-special-files=1"], ["-m", String(repeating: "9", count: 19)],
    ]
    for arguments in values {
      XCTAssertThrowsError(try AscpArguments(arguments), "\(arguments)") {
        XCTAssertEqual(($0 as? AsperaError)?.code, .invalidSpecification, "\(arguments)")
      }
    }
  }

  func testPermittedOptionsAreListed() throws {
    XCTAssertTrue(AscpArguments.permittedOptions.contains("--overwrite"))
    XCTAssertEqual(AscpArguments.permittedOptions, AscpArguments.permittedOptions.sorted())
    XCTAssertTrue(Set(AscpArguments.permittedOptions).isDisjoint(with: ["-W", "-i", "-L", "-M", "-D", "--file-list"]))
  }
}
