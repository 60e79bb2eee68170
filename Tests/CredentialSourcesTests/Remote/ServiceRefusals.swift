// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import StorageAuthTesting

/// An error response of Alibaba Cloud's services.
func alibabaRefusal(_ code: String, _ message: String = "No.", date: String? = nil, status: Int = 400)
  -> HTTPStreamingResponse
{
  .json(
    #"{"RequestId":"R-7","HostId":"sts.aliyuncs.com","Code":"\#(code)","Message":"\#(message)"}"#, status: status,
    headers: date.map { ["Date": $0] } ?? [:])
}

/// An error response of Tencent Cloud's services, whose status is 200.
func tencentRefusal(_ code: String, _ message: String = "No.", date: String? = nil) -> HTTPStreamingResponse {
  .json(
    #"{"Response":{"Error":{"Code":"\#(code)","Message":"\#(message)"},"RequestId":"R-7"}}"#,
    headers: date.map { ["Date": $0] } ?? [:])
}

/// An error response of AWS's services.
func amazonRefusal(_ code: String, _ message: String = "No.", date: String? = nil, status: Int = 400)
  -> HTTPStreamingResponse
{
  .status(
    status,
    Array(
      """
      <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>\(code)</Code>\
      <Message>\(message)</Message></Error><RequestId>R-7</RequestId></ErrorResponse>
      """.utf8), headers: date.map { ["Date": $0] } ?? [:])
}

extension String {
  var percentEncodedForTest: String {
    utf8.map { byte in
      let isKept = Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
      return isKept
        ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
