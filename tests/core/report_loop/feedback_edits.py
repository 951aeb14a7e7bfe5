# ruff: noqa: E501  an edit reads best on one line
"""Sixty edits as reviewers make them, each with its class known: written before the rules were measured on them.

(class, dimension that missed it, shipped, reviewed); the fragments are HTML. S is substantive: framing, emphasis,
interpretation or a domain fact. M is mechanical: an anchor should have caught it.
"""

M, S = "mechanical", "substantive"

EDITS = [
    # wrong values
    (M, "accurate", "<p>Revenue reached $4.81M in the quarter.</p>", "<p>Revenue reached $4.18M in the quarter.</p>"),
    (M, "accurate", "<p>Operating margin was 18.7% against 17.9% a year ago.</p>",
     "<p>Operating margin was 21.4% against 17.9% a year ago.</p>"),
    (M, "accurate", "<table><tr><td>EMEA</td><td>1,203</td></tr></table>",
     "<table><tr><td>EMEA</td><td>1,230</td></tr></table>"),
    (M, "accurate", "<p>The team closed 42 of 57 tickets within a day.</p>",
     "<p>The team closed 47 of 57 tickets within a day.</p>"),
    (M, "accurate", "<p>Churn stood at 2.1% and net retention at 108%.</p>",
     "<p>Churn stood at 2.4% and net retention at 108%.</p>"),
    (M, "accurate", "<p>Headcount ended the quarter at 312.</p>", "<p>Headcount ended the quarter at 321.</p>"),
    (M, "accurate", "<li>Average order value: €84.20</li>", "<li>Average order value: €82.40</li>"),
    # stale periods
    (M, "accurate", "<h2>Results for Q3 2026</h2>", "<h2>Results for Q4 2026</h2>"),
    (M, "accurate", "<p>As of 30 June 2026 the backlog held 14 orders.</p>",
     "<p>As of 30 September 2026 the backlog held 14 orders.</p>"),
    (M, "accurate", "<caption>Sales by region, 2025</caption>".join(["<table>", "<tr><td>x</td></tr></table>"]),
     "<caption>Sales by region, 2026</caption>".join(["<table>", "<tr><td>x</td></tr></table>"])),
    (M, "accurate", "<p>In the second quarter the plant ran at full capacity.</p>",
     "<p>In the third quarter the plant ran at full capacity.</p>"),
    # stale labels
    (M, "dynamic", "<table><tr><th>Region</th><th>Prior year</th></tr><tr><td>North</td><td>7</td></tr></table>",
     "<table><tr><th>Region</th><th>Budget</th></tr><tr><td>North</td><td>7</td></tr></table>"),
    (M, "accurate", "<p>Harbour Foods grew its store base.</p><p>Harbour Foods plans no closures.</p>",
     "<p>Meadow Retail grew its store base.</p><p>Meadow Retail plans no closures.</p>"),
    # direction against the data
    (M, "dynamic", "<p>Gross margin rose to 41.2%.</p>", "<p>Gross margin fell to 41.2%.</p>"),
    (M, "dynamic", "<p>Return rates increased for the third month running.</p>",
     "<p>Return rates decreased for the third month running.</p>"),
    (M, "dynamic", "<p>Energy costs were flat compared with May.</p>", "<p>Energy costs were higher compared with May.</p>"),
    # number and date formats
    (M, "polished", "<p>The site served 1203400 visits.</p>", "<p>The site served 1,203,400 visits.</p>"),
    (M, "polished", "<p>Conversion improved by 4.2 percent.</p>", "<p>Conversion improved by 4.2%.</p>"),
    (M, "polished", "<p>The contract runs until 2027-03-31.</p>", "<p>The contract runs until 31 March 2027.</p>"),
    (M, "polished", "<p>Cash at hand was USD 12 million.</p>", "<p>Cash at hand was $12M.</p>"),
    (M, "polished", "<p>Utilisation was 81.2374% on average.</p>", "<p>Utilisation was 81.2% on average.</p>"),
    # leftovers
    (M, "polished", "<p>Forecast accuracy: NaN</p>", "<p>Forecast accuracy: 93%</p>"),
    (M, "polished", "<p>Prepared for {{ client_name }} by the finance team.</p>",
     "<p>Prepared for Meadow Retail by the finance team.</p>"),
    (M, "polished", "<p>Growth was undefined in the south.</p>", "<p>Growth was 3% in the south.</p>"),
    (M, "polished", "<p></p><p>Stock is counted weekly.</p>", "<p>Stock is counted weekly.</p>"),
    # layout
    (M, "polished", "<h2 style='margin-top:-40px'>Outlook</h2><p>Stable.</p>", "<h2>Outlook</h2><p>Stable.</p>"),
    (M, "polished", "<p>Regional detail</p><p>North leads.</p>", "<h3>Regional detail</h3><p>North leads.</p>"),
    # alt text and other accessibility
    (M, "inclusive", "<img id='mix' src='mix.png'><p>The mix moved.</p>",
     "<img id='mix' src='mix.png' alt='Revenue by region: north 40%, south 35%, west 25%'><p>The mix moved.</p>"),
    (M, "inclusive", "<img id='trend' src='trend.png' alt=''><p>The trend holds.</p>",
     "<img id='trend' src='trend.png' alt='Orders a month, rising from 80 to 120'><p>The trend holds.</p>"),
    (M, "inclusive", "<table><tr><th>Region</th></tr><tr><td>North</td></tr></table>",
     "<table><tr><th scope='col'>Region</th></tr><tr><td>North</td></tr></table>"),
    # emphasis
    (S, "", "<p>The quarter brought strong growth in subscriptions.</p>",
     "<p>The quarter brought modest growth in subscriptions.</p>"),
    (S, "", "<p>Costs rose sharply in logistics.</p>", "<p>Costs rose in logistics.</p>"),
    (S, "", "<p>Retention is a significant concern.</p>", "<p>Retention is an emerging concern.</p>"),
    (S, "", "<p>Sales grew 4%.</p>", "<p>Sales grew only 4%.</p>"),
    (S, "", "<p>Overall, the result is excellent.</p>", "<p>Overall, the result is solid.</p>"),
    # hedging
    (S, "", "<p>The price change caused the drop in orders.</p>", "<p>The price change probably caused the drop in orders.</p>"),
    (S, "", "<p>Demand will recover in spring.</p>", "<p>Demand may recover in spring.</p>"),
    (S, "", "<p>The pilot proves that the new layout works.</p>", "<p>The pilot suggests that the new layout works.</p>"),
    # interpretation added
    (S, "", "<p>Margin fell to 18.7%.</p>",
     "<p>Margin fell to 18.7%, driven by one-off freight surcharges rather than by pricing.</p>"),
    (S, "", "<p>Orders from the public sector doubled.</p>",
     "<p>Orders from the public sector doubled. This reflects a single framework contract and should not be read as a trend.</p>"),
    (S, "", "<p>Inventory grew by 9%.</p>",
     "<p>Inventory grew by 9%, because the autumn range was delivered three weeks early.</p>"),
    (S, "", "<p>Churn rose to 2.4%.</p><p>Support hired two agents.</p>",
     "<p>Churn rose to 2.4%.</p><p>In our view the rise is seasonal and no action is needed before spring.</p>"
     "<p>Support hired two agents.</p>"),
    (S, "", "<p>Three stores closed.</p>",
     "<p>Three stores closed. We recommend that the board reviews the remaining leases before year end.</p>"),
    (S, "", "<p>The tender was lost.</p>", "<p>The tender was lost, which means the depot will be underused next year.</p>"),
    # framing
    (S, "", "<p>The region performed well against a difficult market.</p>",
     "<p>The region fell behind its peers although the market was difficult for everybody.</p>"),
    (S, "", "<p>Customers like the new app.</p>",
     "<p>Ratings of the new app are good, but most customers have not tried it yet.</p>"),
    (S, "", "<p>We missed the target by 2%.</p>", "<p>We came within 2% of the target.</p>"),
    (S, "", "<p>The reorganisation is complete.</p>",
     "<p>The reorganisation is complete on paper; teams are still moving into their new roles.</p>"),
    (S, "", "<p>Productivity improved across all sites.</p>", "<p>Productivity improved wherever the new line was installed.</p>"),
    # emphasis by leaving out
    (S, "", "<p>Revenue grew. It was our best quarter ever and a proud moment for the whole company. Costs were stable.</p>",
     "<p>Revenue grew. Costs were stable.</p>"),
    (S, "", "<p>Delivery times improved.</p><p>Our drivers remain the friendliest in the industry, as everyone knows.</p>"
     "<p>Complaints fell.</p>", "<p>Delivery times improved.</p><p>Complaints fell.</p>"),
    # domain facts
    (S, "", "<p>The increase comes from higher list prices.</p>", "<p>The increase comes from the changed revenue recognition.</p>"),
    (S, "", "<p>Warehouse staff are employed by the group.</p>", "<p>Warehouse staff are employed by an agency.</p>"),
    (S, "", "<p>Lead times depend on the supplier.</p>", "<p>Lead times depend on customs clearance.</p>"),
    (S, "", "<p>The licence covers the whole region.</p>", "<p>The licence excludes the northern islands.</p>"),
    # order and weight
    (S, "", "<h2>Highlights</h2><p>Sales grew.</p>", "<h2>Mixed results</h2><p>Sales grew.</p>"),
    (S, "", "<p>We are pleased to report that profit grew.</p>", "<p>Profit grew.</p>"),
    (S, "", "<p>The outage had no effect.</p>", "<p>The outage had no lasting effect on orders.</p>"),
    (S, "", "<p>Marketing spend paid off.</p>", "<p>It is too early to say whether marketing spend paid off.</p>"),
    (S, "", "<p>Growth was led by exports.</p>", "<p>Growth was led by exports, above all to Norway.</p>"),
]  # fmt: skip
