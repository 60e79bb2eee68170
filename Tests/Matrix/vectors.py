# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""The tables of the known answers, with the ones that the tests reproduce, by the same rules as the tests."""
import json
import re

FORMS = {
    "oss": "signed, and verified as a form",
    "cos": "verified as a form",
}


def vector_tables(read, problems):
    oss = json.loads(read("Tests/OSSAuthTests/Vectors/oss.json"))
    cos = json.loads(read("Tests/COSAuthTests/Vectors/cos.json"))["cases"]
    oss_source = read("Tests/OSSAuthTests/OSSVectorTests.swift") + read("Tests/OSSAuthTests/AlibabaSTSVectorTests.swift")
    cos_source = read("Tests/COSAuthTests/COSVectorTests.swift") + read("Tests/COSAuthTests/TencentSTSVectorTests.swift")
    reasons = dict(re.findall(r'^\s*"([^"\n]+)":\s*"([^"\n]+)",$', oss_source, re.M))
    lines = []
    lines += table("OSS", [(v, oss_status(v, reasons)) for v in oss], oss_source, problems)
    lines += table("COS", [(v, cos_status(v)) for v in cos], cos_source, problems)
    return lines


def oss_status(vector, reasons):
    """Returns the group under which the test counts a vector, and its description."""
    mode = vector.get("mode") or "sts"
    if mode == "post":
        return None, FORMS["oss"]
    if vector["id"] in reasons:
        return None, "not signed unchanged: " + reasons[vector["id"]]
    if vector.get("recommended") is False:
        return None, "skipped: the SDKs disagree, and another answer is recommended"
    if vector.get("doNotImplement"):
        return "corrected", "the SDK is wrong; the corrected answer is signed"
    return mode, "signed"


def cos_status(vector):
    if vector["kind"] == "post":
        return None, FORMS["cos"]
    if vector["id"].startswith("e0"):
        return "server", "printed by a server; the key is unknown, and only the hash is reproduced"
    return vector["kind"], "signed"


def table(title, rows, source, problems):
    """Returns a table, whose numbers must equal the counts in the test."""
    counted = {}
    for _, (group, _) in rows:
        if group:
            counted[group] = counted.get(group, 0) + 1
    stated = {
        name: int(count)
        for counts in re.findall(r"XCTAssertEqual\(counts, \[(.*)\]\)", source)
        for name, count in re.findall(r'"(\w+)": (\d+)', counts)
    }
    if stated != counted:
        problems.append(f"vectors of {title}: the test counts {stated}, and the table {counted}")
    lines = ["", f"### {title}", "", "| vector | source | |", "|---|---|---|"]
    for vector, (_, text) in rows:
        source_text = vector.get("source", "").replace("|", "\\|")
        lines.append(f"| `{vector['id']}` | {source_text} | {text} |")
    return lines
