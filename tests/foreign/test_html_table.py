"""Tables of pages in HTML, as ADAMS/PostProcessor writes them."""

import numpy as np
import pytest

from sim.errors import ForeignError
from sim.foreign import read_foreign

PAGE = """<HTML><BODY><H2>ADAMS View model name: arm, 2 of 3</H2>
<TABLE BORDER=1><TR><TD>Result ID</TD><TD>Result Type</TD></TR>
<TR><TD>tip</TD><TD>Request</TD></TR></TABLE>
<TABLE BORDER=1>
<TR><TH>TIME (sec)</TH><TH><B>.arm.LC_4.tip.X</B> (mm)</TH><TH>&nbsp;</TH><TH>force</TH></TR>
<TR><TD>0.0</TD><TD>1.500000e+01</TD><TD></TD><TD>-2</TD></TR>
<TR><TD>0.1<TD> 1.6E+01
<TD>&nbsp;<TD>-3
</TABLE></BODY></HTML>
"""


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_the_table_of_a_page_is_its_rows_of_numbers(tmp_path, encoding):
    path = tmp_path / "page.htm"
    path.write_bytes(PAGE.replace("\n", "\r\n").encode(encoding))
    table = read_foreign(path)
    assert table.source == "page.htm (ADAMS)"
    names = [(column.title, column.unit) for column in table.columns]
    assert names == [("TIME", "sec"), (".arm.LC_4.tip.X", "mm"), ("force", None)]
    values = np.column_stack([column.values for column in table.columns])
    np.testing.assert_array_equal(values, [[0.0, 15.0, -2.0], [0.1, 16.0, -3.0]])


@pytest.mark.parametrize("text", ["", "<table></table>", "1 2 3\n4 5 6", "<td>1<td>2<table><tr>"])
def test_a_page_without_a_table_is_refused(tmp_path, text):
    (tmp_path / "page.html").write_text(text)
    with pytest.raises(ForeignError, match=r"page\.html"):
        read_foreign(tmp_path / "page.html")
