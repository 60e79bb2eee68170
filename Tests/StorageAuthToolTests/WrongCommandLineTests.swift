// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import StorageAuth
import StorageClient
import XCTest

/// Tests the message for each kind of wrong command line, and that the help of each command fits on one screen.
final class WrongCommandLineTests: XCTestCase {
  private static let variables = ["OSS_ACCESS_KEY_ID": key.id.string, "OSS_ACCESS_KEY_SECRET": key.secret.reveal()]

  /// The command lines, in which FOLDER and FILE exist, each with the part of the message that helps.
  private static let table = [
    // Misspelled commands and options.
    ("list oss://photos", "Unknown command 'list'. Did you mean 'ls'?"),
    ("copy a oss://photos/", "Unknown command 'copy'. Did you mean 'cp'?"),
    ("delete oss://photos/a", "Unknown command 'delete'. Did you mean 'rm'?"),
    ("presgn oss://photos/a", "Unknown command 'presgn'. Did you mean 'presign'?"),
    ("aspera probee mia@host", "Unknown command 'probee'. Did you mean 'probe'?"),
    ("help list", "Unknown command 'list'. Did you mean 'ls'?"),
    ("frobnicate", "Unknown command 'frobnicate'. 'storage-auth help' lists the commands."),
    ("aspera mia:password@host", "Error: Unknown command. 'storage-auth help' lists the commands."),
    ("--quiet ls oss://photos", "Options follow the command"),
    ("ls oss://photos --endpoit http://127.0.0.1:1", "Unknown option '--endpoit'. Did you mean '--endpoint'?"),
    ("cp a oss://photos/ --endpoit http://127.0.0.1:1", "Unknown option '--endpoit'. Did you mean '--endpoint'?"),
    ("mb oss://photos --endpoit=http://127.0.0.1:1", "Unknown option '--endpoit'. Did you mean '--endpoint'?"),
    ("serve --acount id:secret", "Unknown option '--acount'. Did you mean '--account'?"),
    ("rm -r oss://photos/a --dryrun", "Unknown option '--dryrun'. Did you mean '--dry-run'?"),
    ("presign oss://photos/a --expire 5m", "Unknown option '--expire'. Did you mean '--expires'?"),
    // What is missing.
    ("ls", "Missing expected argument '<location>'"),
    ("cp cat.jpg", "Name a source and a destination."),
    ("credentials", "Missing expected argument '--provider <provider>'"),
    ("ls oss://photos", "Name the region with --region or OSS_REGION."),
    ("rm oss://photos --region cn-hangzhou", "use --recursive to delete all objects"),
    ("rm -r oss://photos --region cn-hangzhou", "Add --yes to delete all of its objects"),
    ("cp FOLDER oss://photos/ --region cn-hangzhou", "is a folder; add --recursive."),
    ("cp oss://photos here --region cn-hangzhou", "photos is a bucket. Name an object, or add --recursive."),
    ("cat oss://photos --region cn-hangzhou", "photos is a bucket. Name an object.\n"),
    ("cat FOLDER --region cn-hangzhou", "is a folder; name an object.\n"),
    ("cp - oss://photos/ --region cn-hangzhou", "Name the object to which standard input is copied"),
    ("stat oss://photos --region cn-hangzhou", "Name an object of a bucket or a node, as oss://bucket/key."),
    ("sign GET https://example.com/a", "does not identify the cloud: add --provider oss, cos or s3."),
    ("verify https://example.com/a", "does not identify the cloud: add --provider oss, cos or s3."),
    ("aspera probe host", "Pass the server as user@host"),
    // What cannot be.
    ("ls photos", "Name a bucket or a node, as oss://bucket/folder"),
    ("ls gs://photos", "Locations have the form oss://bucket/key"),
    ("ls oss://photos --region oss-cn-hangzhou", "Leave out \"oss-\": cn-hangzhou."),
    ("ls oss://Photos --region cn-hangzhou", "\"Photos\" is not the name of a bucket."),
    ("ls cos://photos --region ap-guangzhou", "A COS bucket ends in its APPID: photos-1250000000."),
    ("ls oss://photos --endpoint 127.0.0.1:9000", "for plain HTTP write http://127.0.0.1:9000."),
    (
      "ls oss://photos --endpoint ftp://host --region cn-hangzhou", "Write it like https://oss-cn-hangzhou.aliyuncs.com"
    ),
    ("cp a b", "One of the two must be oss://bucket/key"),
    ("cp a aspera://mia:password@host/a", "aspera://user@host:port/path, without a password."),
    ("cp a oss://photos/ --region cn-hangzhou --parallel 100", "--parallel must be from 1 to 64."),
    ("credentials --provider gcs", "Please provide one of 'oss', 'cos' or 's3'."),
    ("presign get oss://photos/a --region cn-hangzhou", "write GET."),
    ("presign oss://photos/a --region cn-hangzhou --expires soon", "'soon' is invalid for '--expires <duration>'"),
    ("presign oss://photos/a --region cn-hangzhou --expires 0", "Request 1 to"),
    ("presign oss://photos/a --region cn-hangzhou --expires 8d", "Request 1 to"),
    ("rb oss://photos/a --region cn-hangzhou", "Name only a bucket, as oss://bucket."),
    ("explain GET cat.jpg", "The URL needs a scheme and a host"),
    // What contradicts itself.
    ("cp -r FILE oss://photos/ --region cn-hangzhou", "is a file, not a folder; leave out --recursive."),
    ("cp a b oss://photos/key --region cn-hangzhou", "Several sources need a directory, or a key that ends in a slash"),
    ("cp -r a oss://photos/ --region cn-hangzhou --parallel 4", "use --jobs"),
    ("cp a oss://photos/ --region cn-hangzhou --jobs 4", "--jobs and --dry-run are for --recursive."),
    ("cp a oss://photos/ --region cn-hangzhou --from-region cn-beijing", "are for copies from one service to another."),
    (
      "cp - oss://photos/a --region cn-hangzhou --from-region cn-beijing", "are for copies from one service to another."
    ),
    (
      "mv oss://photos/a oss://photos/ --region cn-hangzhou",
      "The source and the destination have the same bucket and key"
    ),
    (
      "mv oss://photos/a s3://photos/ --endpoint http://127.0.0.1:1",
      "The source and the destination have the same bucket and key"
    ),
    (
      "cp oss://photos/a here --region cn-hangzhou --content-type a/b",
      "--content-type and --metadata are for uploads and copies; a file has neither."
    ),
    ("cp oss://photos/a - --region cn-hangzhou --metadata a=b", "--content-type and --metadata are for uploads"),
    ("cp aspera://node/a here --metadata a=b", "--content-type and --metadata are for uploads"),
    ("cp FILE aspera://mia@host/a --dynamic-key", "--dynamic-key is for aspera://host/path;"),
    ("mv FILE aspera://mia@host/a --dynamic-key", "--dynamic-key is for aspera://host/path;"),
    (
      "cp FILE aspera://node/a --dynamic-key --password-file FILE",
      "Leave out --key and --password-file, or --dynamic-key."
    ),
    ("cp FILE oss://photos/ --region cn-hangzhou --rate 5", "--rate is for aspera:// locations; leave it out."),
    ("cp -r FOLDER oss://photos/ --region cn-hangzhou --dynamic-key", "--dynamic-key is for aspera:// locations"),
    ("mv FILE oss://photos/ --region cn-hangzhou --transfer-server host", "--transfer-server is for aspera://"),
    ("sync FOLDER oss://photos/ --region cn-hangzhou --start-spacing 5", "--start-spacing is for aspera:// locations"),
    ("ls oss://photos --region cn-hangzhou --ascp FILE", "--ascp is for aspera:// locations"),
    ("ls oss:// --region cn-hangzhou --udp-port 5", "--udp-port is for aspera:// locations"),
    ("rm oss://photos/a --region cn-hangzhou --node https://host", "--node is for aspera:// locations"),
    ("stat oss://photos/a --region cn-hangzhou --root-file-id 5", "--root-file-id is for aspera:// locations"),
    ("du oss://photos --region cn-hangzhou --root-file-id 5", "--root-file-id is for aspera:// locations"),
    ("cat oss://photos/a --region cn-hangzhou --node https://host", "--node is for aspera:// locations"),
    ("mv FOLDER oss://photos/ --region cn-hangzhou", "is a folder; copy it with cp -r."),
    (
      "ls oss:// --region cn-hangzhou --recursive",
      "--recursive and --prefix are for the objects of a bucket or a node."
    ),
    ("sync a oss://photos/ --region cn-hangzhou --allow-empty-source", "are for --delete."),
    (
      "cp -r FOLDER oss://photos/ --region cn-hangzhou --from-region cn-beijing",
      "are for copies from one service to another."
    ),
    (
      "sync FOLDER oss://photos/ --region cn-hangzhou --from-endpoint http://127.0.0.1:1",
      "are for copies from one service to another."
    ),
    ("explain --request FILE -H a:b", "--header is for a METHOD and a URL"),
    ("verify --request FILE -H a:b", "--header is for a METHOD and a URL"),
    ("sign --jsonl -H a:b", "--header is not for --jsonl"),
    ("sign --jsonl --endpoint http://127.0.0.1:1", "--endpoint is not for --jsonl"),
    ("sign --jsonl --provider oss", "--provider is not for --jsonl"),
    ("sign --jsonl --bucket photos", "--bucket is not for --jsonl"),
    ("sign --jsonl --style path", "--style is not for --jsonl"),
    ("sign --jsonl --date 0", "--date is not for --jsonl"),
    ("presign --jsonl --allow-ambiguous-v1", "--allow-ambiguous-v1 is not for --jsonl"),
    ("presign --jsonl --explain", "--explain is not for --jsonl"),
    ("presign --jsonl --expires 5m", "--expires is not for --jsonl"),
    ("ls oss://photos -q -v", "--quiet and --verbose exclude each other."),
  ]

  // matrix: Output of the command line: errors
  func testEveryWrongCommandLineHasAMessageThatHelps() async throws {
    XCTAssertGreaterThanOrEqual(Self.table.count, 40)
    let directory = try TemporaryDirectory(self)
    let file = try directory.write([1], to: "file").string
    for (line, message) in Self.table {
      let arguments = line.split(separator: " ").map {
        $0 == "FOLDER" ? directory.url.path : $0 == "FILE" ? file : String($0)
      }
      let outcome = try await Programs.storageAuth(arguments, Self.variables)
      XCTAssertEqual(outcome.status, 64, line)
      XCTAssertEqual(outcome.output, "", line)
      XCTAssertTrue(outcome.errors.contains(message), "\(line): \(outcome.errors)")
      let first = outcome.errors.prefix { $0 != "\n" }
      XCTAssertTrue(first.hasPrefix("Error: "), "\(line): \(first)")
      // The code of an error is the name of a Swift constant.
      XCTAssertNil(first.firstMatch(of: #/^Error: [a-z]+[A-Z]?[A-Za-z]*: /#), "\(line): \(first)")
    }
  }

  // matrix: Output of the command line: errors
  func testMissingKeyIsOneLineWithTheVariablesToSet() async throws {
    for (location, variables) in [
      ("oss://photos", "OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET"),
      ("cos://photos-1250000000", "TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY"),
      ("s3://photos", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    ] {
      let outcome = try await Programs.storageAuth(
        ["ls", location, "--endpoint", "http://127.0.0.1:1", "--no-metadata"])
      XCTAssertEqual(outcome.status, 1)
      let name = location.prefix { $0 != ":" }
      XCTAssertEqual(
        outcome.errors,
        "Error: There is no key for \(name). Set \(variables); storage-auth credentials --provider \(name) shows all "
          + "sources.\n")
    }
  }

  /// The commands, with those that contain others.
  private func commands() async throws -> [[String]] {
    let described = try await Programs.storageAuth(["--experimental-dump-help"]).output
    var found: [[String]] = []
    func add(_ command: JSONValue, below path: [String]) {
      guard let name = command["commandName"]?.string, name != "help" else { return }
      found.append(path + [name])
      for inner in command["subcommands"]?.array ?? [] { add(inner, below: path + [name]) }
    }
    for command in try JSONValue(parsing: Array(described.utf8))["command"]?["subcommands"]?.array ?? [] {
      add(command, below: [])
    }
    return found
  }

  // matrix: Output of the command line: options
  func testHelpOfEveryCommandFitsOnOneScreenAndStartsWithExamples() async throws {
    let commands = try await commands()
    XCTAssertGreaterThanOrEqual(commands.count, 22)
    for command in [[]] + commands {
      let help = try await Programs.storageAuth(command + ["--help"], ["COLUMNS": "100"])
      XCTAssertEqual(help.status, 0)
      let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
      XCTAssertLessThanOrEqual(lines.count, 41, "\(command): \(help.output)")
      XCTAssertEqual(lines.filter { $0.count > 100 }, [], "\(command)")
      let isGroup = ["aspera", "config"].contains(command.joined(separator: " "))
      XCTAssertEqual(lines.dropFirst(2).first == "Examples:", !isGroup, "\(command): \(help.output)")
      let narrow = try await Programs.storageAuth(command + ["--help"], ["COLUMNS": "80"]).output
      for example in lines.drop(while: { $0 != "Examples:" }).dropFirst().prefix(while: { !$0.isEmpty }) {
        XCTAssertTrue(narrow.contains("\n\(example)\n"), "\(command): \(example)")
      }
    }
  }

  // matrix: Output of the command line: options
  func testFoldedOptionsAreNamedAndDescribedOnRequest() async throws {
    let folded = try await Programs.storageAuth(["cp", "--help"]).output
    XCTAssertTrue(folded.contains("\n\nMORE OPTIONS, which 'storage-auth cp --help-hidden' describes: --"), folded)
    XCTAssertTrue(folded.contains(" --endpoint --region "), folded)
    XCTAssertFalse(folded.contains("--endpoint <url>"), folded)
    let whole = try await Programs.storageAuth(["cp", "--help-hidden"]).output
    XCTAssertTrue(whole.contains("--endpoint <url>"), whole)
    let version = try await Programs.storageAuth(["--version"]).output
    XCTAssertNotNil(version.wholeMatch(of: /storage-auth \d+\.\d+\.\d+[^\n]*\n/), version)
  }
}
