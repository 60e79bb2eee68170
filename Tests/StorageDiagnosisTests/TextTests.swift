import XCTest
final class TextTests: XCTestCase {}
