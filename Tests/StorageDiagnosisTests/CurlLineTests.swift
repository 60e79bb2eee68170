// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageDiagnosis
import XCTest

final class CurlLineTests: XCTestCase {
  private func assertRead(
    _ text: String, _ method: String, _ url: String, _ headers: [String] = [], line: UInt = #line
  ) throws {
    let curl = try CurlLine(text)
    XCTAssertEqual(curl.method, method, line: line)
    XCTAssertEqual(curl.url, url, line: line)
    XCTAssertEqual(curl.headers, headers, line: line)
  }

  func testMethodFollowsFromTheOptions() throws {
    try assertRead("curl https://h/k", "GET", "https://h/k")
    try assertRead("curl -I https://h/k", "HEAD", "https://h/k")
    try assertRead("curl -T f https://h/k", "PUT", "https://h/k")
    try assertRead("curl -F file=@x https://h/", "POST", "https://h/")
    try assertRead("curl -F file=@x -X PUT https://h/", "PUT", "https://h/")
    let form = ["Content-Type: application/x-www-form-urlencoded"]
    try assertRead("curl -d a=b https://h/", "POST", "https://h/", form)
    let header = "content-type: text/plain"
    try assertRead("curl -d a=b -H '\(header)' https://h/", "POST", "https://h/", [header])
    try assertRead("curl --json {} https://h/", "POST", "https://h/", ["Content-Type: application/json"])
  }

  func testDataOfGetIsInTheURL() throws {
    try assertRead("curl -G -d a=b -d c=d https://h/k", "GET", "https://h/k?a=b&c=d")
    try assertRead("curl --get https://h/k?x -d a=b", "GET", "https://h/k?x&a=b")
    try assertRead("curl -G https://h/k", "GET", "https://h/k")
    // What curl 7.88.1 sent to a server, but for the letter case of the digits.
    try assertRead("curl -G --data-urlencode 'p=a&b c=' https://h/k", "GET", "https://h/k?p=a%26b+c%3D")
    try assertRead("curl -G --data-urlencode =é --data-urlencode 'a b' https://h/k", "GET", "https://h/k?%C3%A9&a+b")
    let marks = #"curl -G --data-urlencode "x=~-._!*'()/+" https://h/k"#
    try assertRead(marks, "GET", "https://h/k?x=~-._%21%2A%27%28%29%2F%2B")
  }

  func testValuesOfOptionsAreNotTheURL() throws {
    for option in [
      "--aws-sigv4 aws:amz:eu:s3", "-E c.pem", "--key k.pem", "-c jar", "-D -", "-K file", "--proto =https --tlsv1.2",
    ] {
      try assertRead("curl \(option) https://h/k", "GET", "https://h/k")
    }
  }

  /// Browsers print a text with characters such as `!` in this form.
  func testEscapesOfBrowsersAreRead() throws {
    try assertRead(
      #"curl $'https://h/k\u0021' -H $'x-a: it\'s\t\u00e9\n\\' -H 'cost: $5' -H a:$b"#, "GET", "https://h/k!",
      ["x-a: it's\t\u{e9}\n\\", "cost: $5", "a:$b"])
    try assertRead(#"curl $'https://h/\ud83d'"#, "GET", "https://h/\u{fffd}")
    XCTAssertThrowsError(try CurlLine("curl $'https://h/k"))
  }
}
