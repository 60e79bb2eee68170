// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// XML documents that the parser rejects, because they are malformed or unsupported.
final class XMLRefusalTests: XCTestCase {
  private func refusal(_ bytes: [UInt8]) -> XMLError? {
    do {
      _ = try XMLNode.parse(bytes)
      return nil
    } catch {
      return error
    }
  }

  func testOtherEncodingsDoNotBypassTheDocumentTypeCheck() {
    let body = #"+ADwAIQ-DOCTYPE A +AFsAPAAh-ENTITY e +ACI-x+ACIAPgBd-+AD4-<A>&e;</A>"#
    for declared in [
      #"encoding="UTF-7""#, #"encoding='utf-7'"#, #"encoding = "Utf-7""#, #"encoding="UTF-16""#, #"encoding="latin1""#,
      #"encoding="ISO-8859-1" standalone="yes""#, #"encoding="IBM037""#, #"encoding="UCS-4""#, #"encoding="UTF-8 ""#,
      #"encoding="""#, #"encoding="utf8""#, "encoding=UTF-8", #"encoding="UTF-8" encoding="UTF-7""#,
    ] {
      for rest in [body, "<A/>"] {
        let text = #"<?xml version="1.0" \#(declared)?>"# + rest
        XCTAssertNotNil(refusal(Array(text.utf8)), text)
        XCTAssertNotNil(refusal([0xEF, 0xBB, 0xBF] + Array(text.utf8)), text)
      }
    }
    for text in ["<!DOCTYPE A [<!ENTITY e \"x\">]><A>&e;</A>", "<A/>"] {
      XCTAssertNotNil(refusal([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }))
      XCTAssertNotNil(refusal([0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }))
      XCTAssertNotNil(refusal(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }))
    }
  }

  func testUTF8IsAcceptedUnderEveryDeclaration() throws {
    for declared in [
      "", #"<?xml version="1.0"?>"#, #"<?xml version="1.0" encoding="UTF-8"?>"#,
      "<?xml version='1.0' encoding='utf-8' ?>",
      #"<?xml version="1.1" encoding="Utf-8" standalone="no"?>"#, "<?xml\nversion = '1.0'\tencoding = 'UTF-8'\n?>\n",
      "\u{FEFF}", "\u{FEFF}<?xml version=\"1.0\"?>", "<!-- c --><?x?>",
    ] {
      XCTAssertEqual(try XMLNode.parse(Array((declared + "<A>\u{E9}</A>").utf8)).text, "\u{E9}", declared)
    }
  }

  func testErrorNamesTheLine() {
    let cases = [
      ("<A>\n<B>\n</C></A>", 3), ("<A>\n\u{1}</A>", 2), ("<A>\r\n\n&#x1F;</A>", 3), ("<A>\n\u{FFFE}</A>", 2),
      ("\n\n<!DOCTYPE A><A/>", 3), ("<A>\n&nbsp;</A>", 2), ("<A b='\n' b=''/>", 2), ("<A>\n\n", 3), ("<A/>\nx", 2),
      ("<A>\n]]></A>", 2), ("<A>\n<!-- a -- b --></A>", 2),
    ]
    for (text, line) in cases { XCTAssertEqual(refusal(Array(text.utf8))?.line, line, text) }
  }

  func testMalformedDocumentsAreRejected() {
    let bad = [
      "<A", "<A ", "<A b", "<A b=", "<A b=c/>", "<A b='c/>", "<A b='<'/>", "<A b='1'c='2'/>", "<A b='1' b='2'/>",
      "<A b='&'/>", "<A b='&x;'/>", "<A b='&#0;'/>", "< A/>", "<1/>", "<-a/>", "<.a/>", "<A></A", "<A></A >x",
      "<A></B>",
      "<A></a>", "</A>", "<A/><A/>", "x<A/>", "<A/>x", "<A>&</A>", "<A>& </A>", "<A>&;</A>", "<A>&#;</A>",
      "<A>&#x;</A>", "<A>&#-1;</A>", "<A>&#+1;</A>", "<A>&#xD800;</A>", "<A>&#x110000;</A>", "<A>&#99999999999;</A>",
      "<A>&#xFFFE;</A>", "<A>&#XA;</A>", "<A>&lt</A>", "<A>&LT;</A>", "<A>]]></A>", "<A><![CDATA[x]]</A>",
      "<A><![cdata[x]]></A>", "<![CDATA[x]]><A/>", "<!-- a --- <A/>", "<!-- a ---><A/>",
      "<A><!ELEMENT b></A>", "<A><!DOCTYPE b></A>", "<!doctype A><A/>", "<?xml?><A/>", "<?xml encoding='utf-8'?><A/>",
      " <?xml version='1.0'?><A/>", "<A><?xml version='1.0'?></A>", "<?XML version='1.0'?><A/>",
      "<?xml version='2.0'?><A/>", "<?xml version='1.'?><A/>", "<?xml version='1.0' standalone='1'?><A/>",
      "<?xml version='1.0'encoding='utf-8'?><A/>", "<?x", "<??><A/>", "<?x a<A/>", "<A>\u{7}</A>", "<A b='\u{1B}'/>",
      "<A><!-- \u{8} --></A>", "<A><![CDATA[\u{C}]]></A>", "<A>\u{FFFF}</A>", "<A\u{D7}/>", "<\u{300}A/>",
    ]
    for text in bad { XCTAssertNotNil(refusal(Array(text.utf8)), text) }
    XCTAssertNotNil(refusal([0x3C, 0x41, 0x3E, 0xED, 0xA0, 0x80, 0x3C, 0x2F, 0x41, 0x3E]), "a surrogate in UTF-8")
    XCTAssertNotNil(refusal([0x3C, 0x41, 0x3E, 0xC0, 0x80, 0x3C, 0x2F, 0x41, 0x3E]), "an overlong NUL")
  }

  func testWellFormedDocumentsAreParsed() throws {
    let good: [(String, String)] = [
      ("<A></A >", ""), ("<A\n/>", ""), ("<A b = \"'\" c='\"' >x</A\n>", "x"), ("<A b='&lt;&#10;'>x</A>", "x"),
      ("<A>&lt;&gt;&amp;&quot;&apos;&#65;&#x41;&#x0000041;</A>", "<>&\"'AAA"), ("<A>]] ></A>", "]] >"),
      ("<A>a<!-- b -->c<?d e?>f</A>", "acf"), ("<A><![CDATA[]]>]]<![CDATA[<a>]]]]></A>", "]]<a>]]"),
      ("<A>\r\n\r&#13;</A>", "\n\n\r"), ("<A><![CDATA[\r\n]]></A>", "\n"),
      ("<A>\u{85}\u{10FFFF}</A>", "\u{85}\u{10FFFF}"),
      ("<A.b-c_1/>", ""), ("<\u{E9}\u{300}>x</\u{E9}\u{300}>", "x"), ("<A/><!-- c --><?d?>\n", ""),
      ("<!-- <!DOCTYPE A> --><A>x</A>", "x"), ("<A><![CDATA[<!DOCTYPE]]></A>", "<!DOCTYPE"), ("<A>></A>", ">"),
    ]
    for (text, value) in good { XCTAssertEqual(try XMLNode.parse(Array(text.utf8)).text, value, text) }
    XCTAssertEqual(try XMLNode.parse(Array("<a:A xmlns:a='b'><a:B>x</a:B></a:A>".utf8))["a:B"]?.text, "x")
  }

  func testNamesAreComparedByteForByte() throws {
    let root = try XMLNode.parse(Array("<A><e\u{301}>1</e\u{301}><\u{E9}>2</\u{E9}></A>".utf8))
    XCTAssertEqual(root["\u{E9}"]?.text, "2")
    XCTAssertEqual(root.all("e\u{301}").map(\.text), ["1"])
    XCTAssertNotNil(refusal(Array("<e\u{301}></\u{E9}>".utf8)))
  }
}
